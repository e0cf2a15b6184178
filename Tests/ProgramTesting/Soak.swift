import Foundation

/// True if the long sweeps are wanted, as `make soak` says.
public let isSoak = ProcessInfo.processInfo.environment["SYNCD_SOAK"] == "1"
