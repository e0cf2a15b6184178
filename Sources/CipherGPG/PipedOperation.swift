internal import CGpgme

/// gpg's information about a decrypted file.
struct Facts: Sendable {
  /// The file name in its encrypted part.
  var name: String? = nil
  var isSigned = false
}

/// Runs a GPGME operation between two pipes.
struct PipedOperation {
  let context: Context
  let source: CInt
  let target: CInt

  func result(of operation: Pipeline.Operation) -> Result<Facts, Complaint> {
    do throws(Complaint) { return .success(try run(operation)) } catch { return .failure(error) }
  }

  private func run(_ operation: Pipeline.Operation) throws(Complaint) -> Facts {
    var (from, to): (gpgme_data_t?, gpgme_data_t?) = (nil, nil)
    try Complaint.check(unsafe gpgme_data_new_from_fd(&from, source))
    defer { unsafe gpgme_data_release(from) }
    try Complaint.check(unsafe gpgme_data_new_from_fd(&to, target))
    defer { unsafe gpgme_data_release(to) }
    switch operation {
    case .decrypt:
      var wantsPassphrase: CInt = 0
      let error = unsafe gpg_decrypt(context.pointer, from, to, &wantsPassphrase)
      if error != 0, wantsPassphrase != 0 { throw .passphrase }
      try Complaint.check(error)
      let name = unsafe gpg_file_name_in(context.pointer).map { unsafe String(cString: $0) }
      return Facts(name: name, isSigned: unsafe gpg_is_signed_in(context.pointer) != 0)
    case .encrypt(let recipients, let name):
      if !name.isEmpty { try Complaint.check(unsafe gpgme_data_set_file_name(from, name)) }
      let keys = try Keys(recipients, context)
      try Complaint.check(unsafe keys.encrypt(from, to))
      return Facts()
    case .encryptAgain(let keys, let isArmored):
      unsafe gpgme_set_armor(context.pointer, isArmored ? 1 : 0)
      // The exclamation mark selects exactly this key, and not another one of the same person.
      let names = keys.map { "\($0)!" }.joined(separator: "\n")
      let flags = gpgme_encrypt_flags_t(GPGME_ENCRYPT_ALWAYS_TRUST.rawValue | GPGME_ENCRYPT_NO_ENCRYPT_TO.rawValue)
      try Complaint.check(unsafe gpgme_op_encrypt_ext(context.pointer, nil, names, flags, from, to))
      return Facts()
    }
  }
}

/// References to keys, held while data is encrypted for them.
@safe private final class Keys {
  private let context: Context
  private var held: [gpgme_key_t?] = unsafe []

  init(_ fingerprints: [String], _ context: Context) throws(Complaint) {
    self.context = context
    for fingerprint in fingerprints {
      var key: gpgme_key_t?
      try Complaint.check(unsafe gpgme_get_key(context.pointer, fingerprint, &key, 0))
      unsafe held.append(key)
    }
  }

  deinit {
    for index in unsafe held.indices { unsafe gpgme_key_unref(held[index]) }
  }

  func encrypt(_ from: gpgme_data_t?, _ to: gpgme_data_t?) -> gpgme_error_t {
    var list = unsafe held + [nil]
    return unsafe gpgme_op_encrypt(
      context.pointer, &list, gpgme_encrypt_flags_t(GPGME_ENCRYPT_NO_COMPRESS.rawValue), from, to)
  }
}
