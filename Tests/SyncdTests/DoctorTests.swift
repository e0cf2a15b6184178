import Foundation
import ProgramTesting
import Testing

/// The problems that `syncd doctor` reports, and which of them determines the exit status.
@Suite struct DoctorTests {
  @Test(
    "doctor reports a missing or foreign marker as a run does", arguments: [true, false])
  func marker(isMissing: Bool) throws {
    let sandbox = try Sandbox(remotes: ["home", "away"])
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    try sandbox.remove("home/.syncd-root")
    if !isMissing {
      try FileManager.default.copyItem(
        atPath: sandbox.path("away/.syncd-root"), toPath: sandbox.path("home/.syncd-root"))
    }
    let outcome = try sandbox.syncd("doctor")
    #expect(outcome.status == 6 && outcome.text.contains("Check that the right disk is mounted"), "\(outcome.story)")
    #expect(try sandbox.syncd("doctor", "away").status == 0)
    #expect(try sandbox.syncd("--once").status == 6)
  }

  @Test("a folder that cannot be written to is a problem", arguments: ["org", "home"])
  func unwritable(folder: String) throws {
    let sandbox = try Sandbox(inMemory: true)
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    try Command(["chmod", "555", sandbox.path(folder)]).succeed()
    let outcome = try sandbox.command(["doctor"]).boundByPermissions.run()
    #expect(
      outcome.status == 4 && outcome.text.contains("cannot write to \(sandbox.path(folder))"), "\(outcome.story)")
  }

  @Test("damage outranks a wrong disk, and every command says how to repair it")
  func damage() throws {
    let sandbox = try Sandbox()
    try sandbox.write("* A\n", to: "org/a.org")
    try sandbox.once()
    try sandbox.remove("home/.syncd-root")
    try sandbox.write(String(repeating: "no database ", count: 1_000), to: "state/archive.sqlite")
    for words in [["doctor"], ["status"], ["log"]] {
      let outcome = try sandbox.command(words).run()
      #expect(outcome.status == 7 && outcome.err.contains("move the state folder aside"), "\(outcome.story)")
    }
  }

  @Test("settings that other users can change are a problem", arguments: ["s.toml", "."])
  func writableSettings(path: String) throws {
    let sandbox = try Sandbox()
    try sandbox.once()
    #expect(try sandbox.syncd("doctor").status == 0)
    try Command(["chmod", "o+w", sandbox.path(path)]).succeed()
    let outcome = try sandbox.syncd("doctor")
    #expect(outcome.status == 4 && outcome.text.contains("other users can change"), "\(outcome.story)")
    try Command(["chmod", "+t", sandbox.path(path)]).succeed()
    #expect(try sandbox.syncd("doctor").status == (path == "." ? 0 : 4))
  }

  @Test("a secret key that other users can read is a problem", arguments: ["store", "remote"])
  func readableKey(owner: String) throws {
    let sandbox = try Sandbox()
    try sandbox.write(
      "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX\n", to: "key.txt")
    if owner == "remote" { try sandbox.writeSettings(remote: "encryption = \"age\"") }
    let settings = try #require(sandbox.read("s.toml"))
    let recipients = "recipients = [\"age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj\"]\n"
    let key = "identity-file = \"\(sandbox.path("key.txt"))\"\n"
    let tables = ["store": "[store.age]\n" + key, "remote": "[remotes.home.age]\n" + recipients + key]
    try sandbox.write(settings + (tables[owner] ?? ""), to: "s.toml")
    try Command(["chmod", "600", sandbox.path("key.txt")]).succeed()
    #expect(try !sandbox.syncd("doctor").text.contains("secret key"))
    try Command(["chmod", "640", sandbox.path("key.txt")]).succeed()
    let outcome = try sandbox.syncd("doctor")
    #expect(outcome.status != 0 && outcome.text.contains("other users can read it"), "\(outcome.story)")
  }
}
