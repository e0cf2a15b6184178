import Foundation
import ProgramTesting

/// Certificates that openssl makes in a temporary folder, with an authority of their own.
struct Certificates {
  let folder: String

  /// The certificate of the authority.
  var authority: String { folder + "/ca.pem" }

  init() async throws {
    folder = NSTemporaryDirectory() + "certificates-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try await openssl(
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
      "/CN=Test authority", "-keyout", "ca.key", "-out", "ca.pem")
  }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }

  /// Makes `NAME.pem` and `NAME.key` for these subject alternative names; with negative `days` they have expired.
  func make(_ name: String, names: String = "IP:127.0.0.1,DNS:hub.test", days: Int = 2) async throws {
    try await openssl(
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)", "-keyout",
      name + ".key", "-out", name + ".csr")
    try "subjectAltName=\(names)\n".write(toFile: folder + "/\(name).ext", atomically: true, encoding: .utf8)
    try await openssl(
      "x509", "-req", "-in", name + ".csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile",
      name + ".ext", "-out", name + ".pem", "-days", "\(days)")
  }

  /// Replaces the certificate and key of a name by those of another one, as a program does that renews them.
  func replace(_ name: String, by other: String) throws {
    for ending in [".key", ".pem"] {
      let text = try String(contentsOfFile: folder + "/" + other + ending, encoding: .utf8)
      try text.write(toFile: folder + "/" + name + ending, atomically: true, encoding: .utf8)
    }
  }

  /// The settings of a hub with a certificate.
  func settings(_ name: String, listen: String = "\"127.0.0.1:0\"") -> String {
    """
    listen = \(listen)
    hosts = ["hub.test"]
    [hub.tls]
    certificate = "\(folder)/\(name).pem"
    key = "\(folder)/\(name).key"
    """
  }

  private func openssl(_ words: String...) async throws {
    var command = Command(["openssl"] + words)
    command.folder = folder
    let outcome = try await command.finish()
    guard outcome.status == 0 else { throw TestFailure("openssl \(words): \(outcome.story)") }
  }
}
