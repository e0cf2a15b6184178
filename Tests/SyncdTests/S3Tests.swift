import Foundation
import ProgramTesting
import ServerTesting
import Testing

/// The real program with a bucket on a real server.
@Suite("A bucket with the real program") struct S3Tests {
  private static let canary = "kanarienvogel"

  /// A device whose remote is a part of the server's bucket.
  private func device(
    _ server: S3Server, _ prefix: String, _ remote: String = "", key: Sandbox? = nil, tables: String = "",
    at endpoint: String? = nil
  ) throws -> Sandbox {
    let box = try Sandbox(remotes: [])
    if let key {
      for name in ["key", "key.pub"] { try box.write(try #require(key.read(name)), to: name) }
      try box.shell("chmod 600 key")
    }
    let settings = """
      [syncd]
      state = "state"
      [store]
      backend = "org-files"
      path = "org"
      [remotes.bucket]
      sync = "plain-files"
      cloud = "s3"
      \(remote)
      [remotes.bucket.s3]
      endpoint = "\(endpoint ?? server.endpoint)"
      bucket = "\(server.bucket)"
      prefix = "\(prefix)"
      access-key = { env = "S3_TEST_ACCESS" }
      secret-key = { env = "S3_TEST_SECRET" }
      proxy = "none"
      \(tables)
      """
    try box.write(settings, to: "s.toml")
    return box
  }

  private func server() async -> S3Server? { await S3Server.shared(.moto) }

  @Test("two devices sync through an encrypted bucket with hidden names, and it has no plaintext")
  func encrypted() async throws {
    guard let server = await server() else { return }
    guard try Command(["sh", "-c", "command -v age-keygen"]).run().status == 0 else {
      return skip("age is not installed")
    }
    let prefix = UUID().uuidString
    let key = try Sandbox(remotes: [])
    try key.shell("age-keygen -o key 2>/dev/null && age-keygen -y key > key.pub")
    let recipient = try #require(key.read("key.pub")).trimmingCharacters(in: .newlines)
    let age = """
      [remotes.bucket.age]
      recipients = ["\(recipient)"]
      identity-file = "key"
      hide-names = true
      """
    let first = try device(server, prefix, "encryption = \"age\"", key: key, tables: age)
    let second = try device(server, prefix, "encryption = \"age\"", key: key, tables: age)
    try first.write(["org/\(Self.canary).org": "* \(Self.canary)\n", "org/\(Self.canary)/b.org": "* Two\n"])
    for box in [first, second] { #expect(try box.once(server).result == "synced") }
    #expect(second.store.files == first.store.files)
    try second.write("* \(Self.canary) edited\n", to: "org/\(Self.canary).org")
    try second.remove("org/\(Self.canary)/b.org")
    for box in [second, first] { #expect(try box.once(server).result == "synced") }
    #expect(first.store.files == second.store.files)
    #expect(first.read("org/\(Self.canary).org") == "* \(Self.canary) edited\n")
    let objects = try Command([
      "python3", "-c",
      "import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode())",
      "\(server.endpoint)/\(server.bucket)?list-type=2&prefix=\(prefix)",
    ]).succeed().text
    #expect(!objects.contains(Self.canary) && objects.contains("<Key>"), "\(objects)")
  }

  @Test("a bucket gets only the subtrees that match, and edits come home")
  func matching() async throws {
    guard let server = await server() else { return }
    let prefix = UUID().uuidString
    let desk = try device(server, prefix, "match = \"+mobile-private\"")
    let phone = try device(server, prefix)
    try desk.write(["org/notes.org": "* Shopping :mobile:\n** Gift :private:\n** Milk\n* Diary\n"])
    for box in [desk, phone] { #expect(try box.once(server).result == "synced") }
    #expect(phone.store["notes.org"] == "* Shopping :mobile:\n** Milk\n")
    try phone.write(["org/notes.org": "* Shopping :mobile:\n** DONE Milk\n"])
    for box in [phone, desk] { #expect(try box.once(server).result == "synced") }
    #expect(desk.store["notes.org"] == "* Shopping :mobile:\n** Gift :private:\n** DONE Milk\n* Diary\n")
  }

  @Test("doctor shows what was observed and what looking for changes costs, and no secret")
  func doctor() async throws {
    guard let server = await server() else { return }
    let box = try device(server, UUID().uuidString)
    let outcome = try box.command(["doctor", "bucket"], with: server).run()
    #expect(outcome.status == 0, "\(outcome.story)")
    #expect(outcome.text.contains("removes a file with a condition") && outcome.text.contains("8640 requests a month"))
    #expect(!(outcome.text + outcome.err).contains(server.secretKey))
    let missing = try device(server, "x")
    try missing.write(
      try #require(missing.read("s.toml")).replacing("\"\(server.bucket)\"", with: "\"missing\""), to: "s.toml")
    let refused = try missing.command(["--once"], with: server).run()
    #expect(
      refused.status == 6 && (refused.text + refused.err).contains("bucket missing not found"), "\(refused.story)")
  }

  @Test("doctor writes nothing to a remote with `mode = \"receive\"`, and says what it did not test")
  func receiving() async throws {
    guard let server = await server() else { return }
    let (prefix, proxy) = (UUID().uuidString, try await FaultyProxy(to: server.endpoint))
    let writer = try device(server, prefix)
    try writer.write("* A\n", to: "org/a.org")
    #expect(try writer.once(server).result == "synced")
    let reader = try device(server, prefix, "mode = \"receive\"", at: "http://127.0.0.1:\(proxy.port)")
    try proxy.follow([["match": "^(PUT|POST|DELETE) ", "nth": 1_000_000, "delay_ms": 0]])
    for words in [["--once"], ["doctor", "bucket"]] {
      let outcome = try reader.command(words, with: server).run()
      #expect(outcome.status == 0, "\(outcome.story)")
      #expect(words[0] != "doctor" || outcome.text.contains("did not test how the remote treats writes"))
    }
    #expect(reader.store["a.org"] == "* A\n")
    #expect(try proxy.counts().matched == [0])
    // The folder of a device is removed with it.
    let usual = try device(server, prefix, at: "http://127.0.0.1:\(proxy.port)")
    let outcome = try usual.command(["doctor", "bucket"], with: server).run()
    #expect(outcome.status == 0 && usual.read("s.toml") != nil, "\(outcome.story)")
    #expect(try proxy.counts().matched[0] > 0, "otherwise doctor writes")
  }
}

extension Sandbox {
  fileprivate func command(_ words: [String], with server: S3Server) -> Command {
    command(words, environment: ["S3_TEST_ACCESS": server.accessKey, "S3_TEST_SECRET": server.secretKey])
  }

  /// Runs `--once`, requires success, and returns the report.
  fileprivate func once(_ server: S3Server) throws -> Report {
    let outcome = try command(["--once", "--json"], with: server).run()
    guard outcome.status == 0 else { throw TestFailure(outcome.story) }
    return try outcome.json(Report.self)
  }
}
