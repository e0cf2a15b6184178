import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudS3

@Suite("Where the keys come from")
struct CredentialTests {
  private let home = ScratchFolder()

  private func source(
    _ files: [String: String] = [:], _ variables: [String: String] = [:], change: (inout S3.Settings) -> Void = { _ in }
  ) throws -> CredentialSource {
    let home = home.path + "/\(UUID().uuidString)"
    for (name, text) in files {
      let file = URL(filePath: home).appending(path: name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    var settings = S3.Settings()
    settings.bucket = "notes"
    change(&settings)
    return CredentialSource(
      settings: settings, variables: ["HOME": home, "PATH": "/usr/bin:/bin"].merging(variables) { $1 })
  }

  private static let file = """
    [default]
    aws_access_key_id = FILE
    aws_secret_access_key = one
    [work]
    aws_access_key_id = WORK
    aws_secret_access_key = two
    aws_session_token = token
    """

  @Test("settings come before the environment, and that before the files")
  func order() async throws {
    let environment = ["AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "three"]
    let files = [".aws/credentials": Self.file]
    #expect(try await source(files).keys().keys.id == "FILE")
    #expect(try await source(files, environment).keys().keys.id == "ENV")
    let set = try source(files, environment) { ($0.accessKey, $0.secretKey) = (Secret("SET"), Secret("four")) }
    #expect(try await set.keys().keys.id == "SET")
    let work = try source(files) { $0.profile = "work" }
    #expect(try await work.keys().keys == AccessKeys(id: "WORK", secret: "two", sessionToken: "token"))
    #expect(try await source(files, ["AWS_PROFILE": "work"]).keys().keys.id == "WORK")
  }

  @Test("the config file has further profiles, the region and a program that prints keys")
  func config() async throws {
    let config = """
      [profile work]
      region = eu-central-1
      credential_process = echo '{"Version": 1, "AccessKeyId": "PROC", "SecretAccessKey": "s", "Expiration": "2026-11-25T16:03:39Z"}'
      """
    let source = try source([".aws/config": config]) { $0.profile = "work" }
    let (keys, expiration) = try await source.keys()
    #expect(keys.id == "PROC" && expiration == Timestamp(seconds: 1_795_622_619))
    #expect(source.region() == "eu-central-1")
    #expect(try self.source().region() == "us-east-1")
  }

  @Test("half a pair, an unknown profile and a kind of profile that is not supported are errors that say what to do")
  func errors() async throws {
    let sso = "[profile sso]\nsso_session = corp\n"
    let cases: [(CredentialSource, String)] = [
      (try source([:], ["AWS_ACCESS_KEY_ID": "ENV"]), "only one half"),
      (try source([".aws/credentials": "[default]\naws_secret_access_key = x\n"]), "only one half"),
      (try source { $0.profile = "none" }, "profile none not found"),
      (try source([".aws/config": sso]) { $0.profile = "sso" }, "export-credentials --profile sso"),
      (try source(), "set `access-key` and `secret-key`"),
    ]
    for (source, text) in cases {
      let error = await #expect(throws: SyncError.self) { try await source.keys() }
      #expect(error?.code == .unauthorized && error?.message.contains(text) == true, "\(String(describing: error))")
    }
  }

  @Test("a wrong secret, an unknown key and a missing bucket are named, without the secret")
  func refused() async throws {
    guard let server = await S3Server.shared(.pys3local) else { return }
    let secret = try await server.storage(prefix: "x") { $0.secretKey = Secret("wrong-canary") }
    let error = await #expect(throws: SyncError.self) { try await secret.list(since: Known()) }
    #expect(error?.code == .unauthorized, "\(String(describing: error))")
    #expect(error.map { "\($0) \($0.cause ?? "")".contains("canary") } == false)
    guard let moto = await S3Server.shared(.moto) else { return }
    let missing = try await moto.storage(prefix: "x") { $0.bucket = "missing" }
    let other = await #expect(throws: SyncError.self) { try await missing.list(since: Known()) }
    #expect(other?.code == .wrongReplica && other?.message.contains("bucket missing not found") == true)
  }

  @Test("settings that contradict each other are refused")
  func contradictions() {
    var settings = S3.Settings()
    settings.bucket = "notes"
    #expect(settings.contradictions.isEmpty)
    for change in [
      { (s: inout S3.Settings) in s.bucket = "a/b" }, { $0.prefix = "../x" }, { $0.prefix = "a//b" },
      { $0.endpoint = URLText("ftp://x") }, { $0.endpoint = URLText("https://x/path") }, { $0.accessKey = Secret("x") },
      { $0.sessionToken = Secret("x") }, { $0.storageClass = "GLACIER" },
    ] {
      var changed = settings
      change(&changed)
      #expect(changed.contradictions.count >= 1, "\(changed.bucket) \(changed.prefix)")
    }
  }

  @Test("the bucket is in the host name at AWS and in the path elsewhere")
  func addresses() throws {
    var settings = S3.Settings()
    (settings.bucket, settings.prefix) = ("notes", "ann/org")
    let aws = try #require(Bucket(settings))
    #expect(aws.host(in: "eu-west-1") == "notes.s3.eu-west-1.amazonaws.com" && aws.path(of: nil) == "/")
    #expect(aws.address == "s3://notes/ann/org/")
    #expect(aws.path(of: aws.key(of: try path("a b.org"))) == "/ann/org/a%20b.org")
    settings.bucket = "my.notes"
    #expect(Bucket(settings)?.host(in: "eu-west-1") == "s3.eu-west-1.amazonaws.com")
    settings.endpoint = URLText("https://s3.example.org:443/")
    let other = try #require(Bucket(settings))
    #expect(other.host(in: "x") == "s3.example.org" && other.path(of: [97]) == "/my.notes/a")
    #expect(other.naming.violation(by: try path(String(repeating: "d/", count: 510) + "x")) != nil)
  }
}
