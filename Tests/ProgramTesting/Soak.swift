import Foundation

/// True if the long sweeps are enabled, as by `make soak`.
public let isSoak = ProcessInfo.processInfo.environment["SYNCD_SOAK"] == "1"
