internal import CGpgme

/// The reason why a GPGME operation failed, as a clause.
struct Complaint: Error, Hashable {
  let reason: String
  /// True if it may succeed later, for example once the agent has the passphrase.
  var isPassing = false
  /// True if this machine has none of the keys for which the file was encrypted.
  var isWithoutKey = false

  init(_ reason: String, isPassing: Bool = false, isWithoutKey: Bool = false) {
    self.reason = reason
    self.isPassing = isPassing
    self.isWithoutKey = isWithoutKey
  }

  /// A part of the file asks for a passphrase of its own. In a file for keys it is random data that looks like such a part.
  static let passphrase = Complaint(
    "has a part that is encrypted with a passphrase, as no file of syncd has: it is damaged, was changed without its key, or "
      + "was made by another program")

  /// Translates an error code; returns nil for success.
  init?(_ error: gpgme_error_t) {
    guard error != 0 else { return nil }
    switch UInt32(gpg_code(error)) {
    case GPG_ERR_NO_SECKEY.rawValue:
      self.init("was encrypted for other keys than those of this machine", isWithoutKey: true)
    case GPG_ERR_CANCELED.rawValue, GPG_ERR_NO_PIN_ENTRY.rawValue, GPG_ERR_PIN_ENTRY.rawValue,
      GPG_ERR_NO_PASSPHRASE.rawValue,
      GPG_ERR_FULLY_CANCELED.rawValue:
      self.init(
        "needs a passphrase that the agent does not have: use the key once by hand, or increase default-cache-ttl in "
          + "gpg-agent.conf", isPassing: true)
    case GPG_ERR_NO_AGENT.rawValue, GPG_ERR_AGENT.rawValue:
      self.init("needs gpg-agent, which does not start", isPassing: true)
    case GPG_ERR_INV_ENGINE.rawValue:
      self.init("needs the program gpg, which is not installed: install the package gnupg", isPassing: true)
    case GPG_ERR_UNUSABLE_PUBKEY.rawValue:
      self.init("cannot be encrypted: a recipient's key is not trusted, or not usable")
    case GPG_ERR_NO_DATA.rawValue: self.init("is not a file of gpg")
    case GPG_ERR_DECRYPT_FAILED.rawValue, GPG_ERR_BAD_DATA.rawValue, GPG_ERR_CHECKSUM.rawValue:
      self.init("is damaged, truncated, or was changed without its key")
    default:
      let text = unsafe gpgme_strerror(error).map { unsafe String(cString: $0) }
      self.init("was not accepted by gpg (\(text ?? "no reason given"))")
    }
  }

  static func check(_ error: gpgme_error_t) throws(Complaint) {
    if let complaint = Complaint(error) { throw complaint }
  }
}
