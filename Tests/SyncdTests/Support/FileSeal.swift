import Foundation
import ProgramTesting

/// A program with which users encrypt files themselves, for two recipients.
enum FileSeal: String, CaseIterable {
  case gpg, age

  /// The settings of a store with such files, with or without a key.
  func settings(in box: Sandbox, hasKey: Bool = true) -> String {
    switch self {
    case .gpg: "[store.gpg]\nhomedir = \"\(hasKey ? "gnupg" : "none")\"\n"
    case .age:
      "[store.age]\n"
        + (hasKey
          ? "identity-file = \"key1\"\nrecipients = [\"\(recipient(1, box))\", \"\(recipient(2, box))\"]\n" : "")
    }
  }

  /// Creates the keys; prints a message and returns false if the program is not installed.
  func makeKeys(in box: Sandbox) throws -> Bool {
    guard try Command(["sh", "-c", "command -v \(rawValue)"]).run().status == 0 else {
      skip("\(rawValue) is not installed")
      return false
    }
    switch self {
    case .gpg:
      try box.shell("mkdir -m 700 gnupg none")
      // gpg gives up if the agent that it starts does not answer within five seconds.
      let launch = "gpgconf --homedir \"$PWD/$home\" --launch gpg-agent"
      try box.shell("for home in gnupg none; do for n in 1 2 3 4 5 6; do \(launch) && break; done; done; true")
      for reader in 1...2 {
        try box.shell(
          "\(gpg) --pinentry-mode loopback --passphrase '' --quick-gen-key 'R\(reader) <r\(reader)@example.org>' future-default default never"
        )
      }
    case .age:
      for reader in 1...2 {
        try box.shell("age-keygen -o key\(reader) 2>&1 && age-keygen -y key\(reader) >key\(reader).pub")
      }
    }
    return true
  }

  /// Stops the agent of gpg, which belongs to this test.
  func tidy(_ box: Sandbox) throws {
    if self == .gpg {
      try box.shell("for home in gnupg none; do gpgconf --homedir \"$PWD/$home\" --kill all; done")
    }
  }

  private var gpg: String { "gpg --homedir \"$PWD/gnupg\" --batch --yes --quiet" }

  private func recipient(_ reader: Int, _ box: Sandbox) -> String {
    box.read("key\(reader).pub")?.trimmingCharacters(in: .newlines) ?? ""
  }

  /// The name of an Org file that is encrypted in this way.
  var name: String { "notes.org.\(rawValue)" }

  /// Encrypts a text for both or for some of the recipients.
  func seal(_ text: String, to name: String, for readers: [Int] = [1, 2], in box: Sandbox) throws {
    try box.write(text, to: "plain")
    let path = box.path(name)
    switch self {
    case .gpg:
      let options = readers.map { "-r r\($0)@example.org" }.joined(separator: " ")
      try box.shell("\(gpg) --trust-model always \(options) -o '\(path)' -e plain")
    case .age:
      let options = readers.map { "-r \(recipient($0, box))" }.joined(separator: " ")
      try box.shell("age \(options) -o '\(path)' plain")
    }
    try box.remove("plain")
  }

  /// Decrypts a file for this reader.
  func open(_ name: String, as reader: Int = 1, in box: Sandbox) throws -> String {
    switch self {
    case .gpg: try Command(["sh", "-c", "cd '\(box.root)' && \(gpg) -d '\(box.path(name))'"]).succeed().text
    case .age: try Command(["age", "-d", "-i", box.path("key\(reader)"), box.path(name)]).succeed().text
    }
  }

  /// The readers of a file according to the program: the ids of keys, or their number.
  func readers(of name: String, in box: Sandbox) throws -> Set<String> {
    switch self {
    case .gpg:
      let text = try Command(["gpg", "--homedir", box.path("gnupg"), "--list-packets", box.path(name)]).succeed().text
      return Set(text.matches(of: /:pubkey enc packet:.* keyid ([0-9A-F]+)/).map { String($0.1) })
    case .age:
      return ["\((box.read(name) ?? "").split(separator: "\n-> X25519 ").count - 1)"]
    }
  }
}
