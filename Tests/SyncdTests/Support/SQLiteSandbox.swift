import Foundation
import ProgramTesting

/// A sandbox whose store is in one file, `org.sqlite`.
final class SQLiteSandbox: Sendable {
  let sandbox: Sandbox

  /// - Parameter store: lines for `[store]`.
  init(_ files: [String: String] = [:], remotes: [String] = ["home"], store: String = "", settings: String = "") throws
  {
    sandbox = try Sandbox(remotes: remotes, inMemory: true)
    try write(store: store, settings: settings)
    if !files.isEmpty {
      for (name, text) in files { try sandbox.write(text, to: "in/\(name)") }
      try sandbox.command(["store", "import", sandbox.path("in")]).succeed()
    }
  }

  init(_ sandbox: Sandbox) { self.sandbox = sandbox }

  func write(store: String = "", settings: String = "", file: String = "s.toml", state: String = "state") throws {
    var text =
      "[syncd]\nstate = \"\(state)\"\n\(settings)\n[store]\nbackend = \"sqlite\"\npath = \"org.sqlite\"\n\(store)\n"
    for name in sandbox.remotes {
      text += "[remotes.\(name)]\ncloud = \"folder\"\n[remotes.\(name).folder]\npath = \"\(name)\"\ncreate = true\n"
    }
    try sandbox.write(text, to: file)
  }

  func read(_ name: String) throws -> String? {
    let outcome = try sandbox.syncd("store", "cat", name)
    return outcome.status == 0 ? outcome.text : nil
  }

  func write(_ text: String, to name: String) throws {
    try sandbox.write(text, to: "put")
    try sandbox.command(["store", "put", name, sandbox.path("put")]).succeed()
  }

  func remove(_ names: String...) throws { try sandbox.command(["store", "rm"] + names).succeed() }

  /// The files of the store.
  func files() throws -> Tree {
    let folder = "out-\(UUID().uuidString)"
    try sandbox.command(["store", "export", sandbox.path(folder)]).succeed()
    return sandbox.tree(folder)
  }

  /// Changes the database as damage would.
  func execute(_ sql: String) throws {
    let script = "import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); d.execute(sys.argv[2]); d.commit(); d.close()"
    try Command(["python3", "-c", script, sandbox.path("org.sqlite"), sql]).succeed()
  }

  /// Damages the content of the files with this text.
  func damage(_ text: String) throws {
    try execute("UPDATE part SET bytes = CAST('damaged' AS BLOB) WHERE CAST(bytes AS TEXT) = '\(text)'")
  }
}
