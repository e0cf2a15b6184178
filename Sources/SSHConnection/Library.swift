internal import CSSH2
internal import SyncKit

/// libssh2, loaded and initialised once per process.
enum Library {
  /// The reason why libssh2 cannot be used, as a sentence; nil if it can.
  static let failure: String? = {
    if let reason = unsafe ssh2_load() { return unsafe String(cString: reason) }
    return libssh2_init(0) == 0 ? nil : "cannot initialize libssh2"
  }()

  static func load() throws(SyncError) {
    if let failure { throw SyncError(.invalidSettings, failure) }
  }

  /// True if libssh2 signs with RSA keys as current servers require; before 1.11 it only supports SHA-1.
  static var signsWithRSA: Bool { failure == nil && ssh2_is_at_least(0x010B00) != 0 }

  /// The key exchanges, ciphers and MACs that are offered; those with SHA-1, CBC, RC4 or MD5 are not. libssh2 skips those that
  /// its version lacks.
  static var methods: [(CInt, [String])] {
    let ciphers = [
      "chacha20-poly1305@openssh.com", "aes256-gcm@openssh.com", "aes128-gcm@openssh.com", "aes256-ctr", "aes192-ctr",
      "aes128-ctr",
    ]
    let codes = [
      "hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com", "hmac-sha2-256", "hmac-sha2-512",
    ]
    let exchanges = [
      "curve25519-sha256", "curve25519-sha256@libssh.org", "ecdh-sha2-nistp256", "ecdh-sha2-nistp384",
      "ecdh-sha2-nistp521", "diffie-hellman-group-exchange-sha256", "diffie-hellman-group16-sha512",
      "diffie-hellman-group18-sha512", "diffie-hellman-group14-sha256",
    ]
    return [
      (LIBSSH2_METHOD_KEX, exchanges), (LIBSSH2_METHOD_CRYPT_CS, ciphers), (LIBSSH2_METHOD_CRYPT_SC, ciphers),
      (LIBSSH2_METHOD_MAC_CS, codes), (LIBSSH2_METHOD_MAC_SC, codes),
    ]
  }

  /// The host key algorithms, those with elliptic curves first.
  static var allAlgorithms: [String] {
    ["ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"] + algorithms(for: "ssh-rsa")
  }

  /// The host key algorithms for one type of key.
  static func algorithms(for type: String) -> [String] {
    guard type == "ssh-rsa" else { return [type] }
    return signsWithRSA ? ["rsa-sha2-512", "rsa-sha2-256", "ssh-rsa"] : ["ssh-rsa"]
  }
}
