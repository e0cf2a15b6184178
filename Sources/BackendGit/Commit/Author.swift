internal import CGit2
internal import GitObjects
internal import SyncKit

/// The author of syncd's commits.
struct Author: Sendable {
  var identity: Identity
  /// True if each commit gets a sign-off line (the Developer Certificate of Origin, as with `git commit --signoff`).
  var signsOff: Bool
  /// The signer of each commit; nil for none.
  var signer: Signer?
  var device: String
  var now: @Sendable () -> Timestamp

  func text(of files: [(kind: CommitMessage.Kind, path: SyncPath)]) -> CommitText {
    let message = CommitMessage(files: files, device: device, signOff: signsOff ? identity : nil)
    return CommitText(author: identity, committer: identity, time: now(), message: message.text, signer: signer)
  }
}

extension Identity {
  /// The user's git identity: `user.name` and `user.email` from the configuration in the home folder.
  static func ofUser(_ variables: [String: String]) -> Identity? {
    guard Library.isReady else { return nil }
    let home = variables["HOME"]
    let folder = variables["XDG_CONFIG_HOME"] ?? home.map { $0 + "/.config" }
    let files = [home.map { $0 + "/.gitconfig" }, folder.map { $0 + "/git/config" }].compactMap(\.self)
    for file in files {
      guard let name = value("user.name", in: file), let mail = value("user.email", in: file) else { continue }
      return Identity(name: name, mail: mail)
    }
    return nil
  }

  private static func value(_ key: String, in file: String) -> String? {
    var config: OpaquePointer?
    guard unsafe git_config_open_ondisk(&config, file) == 0 else { return nil }
    defer { unsafe git_config_free(config) }
    var buffer = unsafe git_buf()
    defer { unsafe git_buf_dispose(&buffer) }
    guard unsafe git_config_get_string_buf(&buffer, config, key) == 0, let text = unsafe buffer.ptr else { return nil }
    return unsafe String(cString: text)
  }
}
