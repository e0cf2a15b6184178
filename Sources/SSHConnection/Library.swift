internal import CSSH2
internal import SyncKit

/// libssh2, loaded and set up once for the process.
enum Library {
  /// Why it cannot be used, as a sentence; nil if it can.
  static let failure: String? = {
    if let reason = unsafe ssh2_load() { return unsafe String(cString: reason) }
    return libssh2_init(0) == 0 ? nil : "cannot initialize libssh2"
  }()

  static func load() throws(SyncError) {
    if let failure { throw SyncError(.invalidSettings, failure) }
  }

  /// True if it signs with RSA keys as current servers require; before 1.11 it can only with SHA-1.
  static var signsWithRSA: Bool { failure == nil && ssh2_is_at_least(0x010B00) != 0 }

  /// Ways to prove a host's key, those with elliptic curves first.
  static var allAlgorithms: [String] {
    ["ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"] + algorithms(for: "ssh-rsa")
  }

  /// The ways to prove a key of one type.
  static func algorithms(for type: String) -> [String] {
    guard type == "ssh-rsa" else { return [type] }
    return signsWithRSA ? ["rsa-sha2-512", "rsa-sha2-256", "ssh-rsa"] : ["ssh-rsa"]
  }
}
