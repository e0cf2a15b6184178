internal import CGpgme

/// The keys of this machine that gpg knows.
struct Keyring: Sendable {
  /// The folder of the keyrings; nil for gpg's default.
  let homedir: String?

  /// Returns a GPGME context that never asks the user anything.
  func context() throws(Complaint) -> Context {
    if let reason = unsafe gpg_load() { throw Complaint(unsafe String(cString: reason), isPassing: true) }
    var pointer: gpgme_ctx_t?
    try Complaint.check(unsafe gpgme_new(&pointer))
    guard let pointer = unsafe pointer else { throw Complaint("gpg returned no context") }
    let context = unsafe Context(pointer: pointer)
    try Complaint.check(unsafe gpgme_set_pinentry_mode(pointer, GPGME_PINENTRY_MODE_CANCEL))
    if let homedir {
      try Complaint.check(unsafe gpgme_ctx_set_engine_info(pointer, GPGME_PROTOCOL_OpenPGP, nil, homedir))
    }
    return context
  }

  /// Returns the fingerprint of the only key that a user id selects. Throws if there is none, if there are several, or if it
  /// cannot be used for encryption.
  func fingerprint(of recipient: String) throws(Complaint) -> String {
    guard !Self.isShortID(recipient) else {
      throw Complaint("\(recipient) is a short key ID, which an attacker's key can have, too; use the fingerprint")
    }
    let keys = try keys(recipient, secret: false)
    guard !keys.isEmpty else { throw Complaint("the keyring has no key of \(recipient)") }
    let usable = keys.filter { $0.flaw == nil }
    if let key = usable.first, usable.count == 1 { return key.fingerprint }
    guard usable.isEmpty else { throw Complaint("several keys match \(recipient); use a fingerprint") }
    throw Complaint("the key of \(recipient) \(keys[0].flaw ?? "")")
  }

  /// Returns true for a key ID of 32 or 64 bits.
  private static func isShortID(_ text: String) -> Bool {
    let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
    return [8, 16].contains(digits.count) && digits.allSatisfy { $0.isHexDigit && $0.isASCII }
  }

  func holdsSecret(ofOne fingerprints: [String]) throws(Complaint) -> Bool {
    for fingerprint in fingerprints where try !keys(fingerprint, secret: true).isEmpty { return true }
    return false
  }

  private struct Key {
    var fingerprint: String
    /// The reason why the key cannot be used for encryption, as the end of a sentence.
    var flaw: String?
  }

  private func keys(_ pattern: String, secret: Bool) throws(Complaint) -> [Key] {
    let context = try context()
    try Complaint.check(unsafe gpgme_op_keylist_start(context.pointer, pattern, secret ? 1 : 0))
    defer { _ = unsafe gpgme_op_keylist_end(context.pointer) }
    var keys: [Key] = []
    var key: gpgme_key_t?
    while unsafe gpgme_op_keylist_next(context.pointer, &key) == 0, let found = unsafe key {
      defer { unsafe gpgme_key_unref(found) }
      guard let fingerprint = unsafe gpg_fingerprint_of(found) else { continue }
      keys.append(
        Key(fingerprint: unsafe String(cString: fingerprint), flaw: Self.word(for: unsafe gpg_flaw_of(found))))
    }
    return keys
  }

  private static func word(for flaw: gpg_flaw) -> String? {
    switch flaw {
    case GPG_REVOKED: "has been revoked"
    case GPG_EXPIRED: "has expired; extend it with gpg --quick-set-expire, or use another key"
    case GPG_DISABLED: "is disabled or damaged"
    case GPG_NO_ENCRYPTION: "has no valid subkey for encryption"
    case GPG_NOT_TRUSTED:
      "is not trusted; verify its fingerprint, then certify it with gpg --quick-lsign-key FINGERPRINT"
    default: nil
    }
  }
}

/// A GPGME context, released with its owner. One thread uses it at a time; only `cancel` may be called from another.
@safe final class Context: @unchecked Sendable {
  let pointer: gpgme_ctx_t

  init(pointer: gpgme_ctx_t) { unsafe self.pointer = unsafe pointer }

  deinit { unsafe gpgme_release(pointer) }

  func cancel() { _ = unsafe gpgme_cancel_async(pointer) }
}
