import Foundation
import Testing

@testable import SSHConnection

@Suite("Reading ~/.ssh/config") struct SSHConfigTests {
  private static let text = """
    # a comment
    User everybody
    Host notes *.lan !bad.lan
      HostName "10.0.0.7"
      Port=2222
      IdentityFile ~/.ssh/one
      IdentityFile ~/.ssh/two
      HostKeyAlias = notes
    Host *
      Port 22
      ServerAliveInterval 10
    """

  @Test(
    "the first value of a keyword wins, and all identity files count",
    arguments: [
      ("notes", "10.0.0.7", "2222"), ("NOTES", "10.0.0.7", "2222"), ("a.lan", "10.0.0.7", "2222"),
    ])
  func alias(host: String, address: String, port: String) {
    let config = SSHConfig(Self.text, for: host)
    #expect(config["hostname"] == address && config["port"] == port && config["user"] == "everybody")
    #expect(config.all("identityfile") == ["~/.ssh/one", "~/.ssh/two"])
    #expect(config["hostkeyalias"] == "notes" && !config.isConditional)
  }

  @Test("a block for other hosts is ignored", arguments: ["bad.lan", "other"])
  func stranger(host: String) {
    let config = SSHConfig(Self.text, for: host)
    #expect(config["hostname"] == nil && config["port"] == "22" && config["user"] == "everybody")
  }

  @Test("included files are read in place, and conditions are left to ssh")
  func others() {
    let config = SSHConfig("Host a\nInclude more\nPort 1\nMatch exec true\nUser x", for: "a") { name in
      name == "more" ? ["Port 5\nHost b\nUser b"] : []
    }
    #expect(config["port"] == "5" && config["user"] == nil && config.isConditional)
    let deep = SSHConfig("Include self", for: "a") { _ in ["Include self\nUser u"] }
    #expect(deep["user"] == "u")
  }

  @Test(
    "wildcards match hosts as in ssh",
    arguments: [
      ("*", "", true), ("a*c", "abbc", true), ("a?c", "abc", true), ("a?c", "ac", false), ("*.lan", "x.lan.de", false),
      ("**a", "ba", true), ("", "a", false),
    ])
  func wildcards(pattern: String, text: String, isMatch: Bool) {
    #expect(SSHConfig.wildcard(pattern[...], text[...]) == isMatch)
  }
}

@Suite("Known host keys") struct KnownHostsTests {
  private static let key = "AAAAC3NzaC1lZDI1NTE5AAAAIHxZ3R3C5Wd5QeQJk3cFJm6iGJm8S8tM9F7bq0c2Qd1x"
  private static let other = "AAAAC3NzaC1lZDI1NTE5AAAAIHxZ3R3C5Wd5QeQJk3cFJm6iGJm8S8tM9F7bq0c2Qd1y"

  private func bytes(_ key: String) -> [UInt8] { Data(base64Encoded: key).map(Array.init) ?? [] }

  @Test(
    "a host key is known, unknown, changed or revoked",
    arguments: [
      ("notes", key, .known), ("notes", other, .changed), ("10.0.0.7", key, .known), ("elsewhere", key, .unknown),
      ("[notes]:2222", key, .known), ("notes2", key, .unknown), ("gone", key, .revoked), ("a.lan", key, .known),
      ("b.lan", key, .unknown),
    ] as [(String, String, KnownHosts.HostKeyStatus)])
  func verdicts(host: String, key: String, status: KnownHosts.HostKeyStatus) {
    let known = KnownHosts([
      "notes,10.0.0.7 ssh-ed25519 \(Self.key) a comment\n# nothing\n[notes]:2222 ssh-ed25519 \(Self.key)\n",
      "@revoked gone ssh-ed25519 \(Self.key)\n*.lan,!b.lan ssh-ed25519 \(Self.key)\n@cert-authority * ssh-ed25519 \(Self.key)\nshort line\n",
    ])
    #expect(known.status(of: bytes(key), of: host) == status)
  }

  @Test("hashed host names, as ssh-keygen -H writes them, are found")
  func hashed() {
    let known = KnownHosts(["|1|rvY/dVFF+erNUUgsEZlo5e29z4w=|lqxKbJ8mbTNWb6JNMwspiRiVo0o= ssh-ed25519 \(Self.key)"])
    #expect(known.status(of: bytes(Self.key), of: "notes") == .known)
    #expect(known.status(of: bytes(Self.key), of: "note") == .unknown)
    #expect(known.types(of: "notes") == ["ssh-ed25519"])
  }
}
