import Foundation
import ProgramTesting
import Testing

/// The result of syncing files that were new, changed or removed on one side or on both.
@Suite struct AgreementTests {
  /// One path: its content when both sides agreed, the change of each side, and the content of both sides afterwards.
  struct Case: CustomTestStringConvertible {
    var name: String
    var base: String?
    var local: String?
    var remote: String?
    var after: String?
    var action: [String]

    var testDescription: String { name }

    init(_ name: String, _ base: String?, _ local: String?, _ remote: String?, _ after: String?, _ action: String...) {
      (self.name, self.base, self.local, self.remote, self.after, self.action) = (
        name, base, local, remote, after, action
      )
    }
  }

  static let cases = [
    Case("unchanged on both sides", "a", "a", "a", "a"),
    Case("new in the store", nil, "a", nil, "a", "copy", "remote"),
    Case("new on the remote", nil, nil, "a", "a", "copy", "local"),
    Case("new on both, equal", nil, "a", "a", "a"),
    Case("changed in the store", "a", "b", "a", "b", "copy", "remote"),
    Case("changed on the remote", "a", "a", "b", "b", "copy", "local"),
    Case("changed on both, equal", "a", "b", "b", "b"),
    Case("removed from the store", "a", nil, "a", nil, "remove", "remote"),
    Case("removed from the remote", "a", "a", nil, nil, "remove", "local"),
    Case("removed from both", "a", nil, nil, nil),
    Case("removed from the store, changed on the remote", "a", nil, "b", "b", "copy", "local"),
    Case("changed in the store, removed from the remote", "a", "b", nil, "b", "copy", "remote"),
    Case("changed on both, apart", "a\nm\nb\n", "A\nm\nb\n", "a\nm\nB\n", "A\nm\nB\n", "merge", "both"),
    Case("emptied in the store", "a", "", "a", "", "copy", "remote"),
  ]

  @Test("a pass resolves every case of the table", arguments: cases)
  func cell(item: Case) throws {
    let sandbox = try Sandbox()
    // Other files, so that one deletion empties nothing.
    for number in 0..<8 { try sandbox.write("* Other \(number)\n", to: "org/other\(number).org") }
    if let base = item.base { try sandbox.write(base, to: "org/x.txt") }
    try sandbox.once()
    for (side, content) in [("org", item.local), ("home", item.remote)] {
      if let content {
        try sandbox.write(content, to: "\(side)/x.txt")
      } else if item.base != nil {
        try sandbox.remove("\(side)/x.txt")
      }
    }
    let report = try sandbox.once()
    #expect(sandbox.store["x.txt"] == item.after)
    #expect(sandbox.tree("home") == sandbox.store)
    let action = report.actions(on: "x.txt").map { [$0.action, $0.to] }
    #expect(action == (item.action.isEmpty ? [] : [item.action]))
    // Nothing is left to do, and every replaced version is in the history.
    #expect(try sandbox.once().home.actions.isEmpty)
    for version in [item.local, item.remote].compactMap(\.self) where version != item.after {
      #expect(try sandbox.versions(of: "x.txt").contains(version), "\(version)")
    }
  }

  @Test("two full sides that meet are merged, nothing is deleted, and equal files do not conflict")
  func firstMeeting() throws {
    let sandbox = try Sandbox()
    try sandbox.write([
      "org/mine.org": "* Mine\n", "org/same.org": "* Same\n", "org/both.org": "* One\n* Shared\n",
      "home/theirs.org": "* Theirs\n", "home/same.org": "* Same\n", "home/both.org": "* Shared\n* Two\n",
      "org/x.bin": "mine\u{0}",
      "home/x.bin": "theirs\u{0}",
    ])
    let outcome = try sandbox.syncd("--once", "--json")
    #expect([0, 3].contains(outcome.status))
    let store = sandbox.store
    #expect(store == sandbox.tree("home"))
    #expect(store["mine.org"] == "* Mine\n" && store["theirs.org"] == "* Theirs\n" && store["same.org"] == "* Same\n")
    for word in ["One", "Two", "Shared"] {
      #expect(store.files.contains { $0.key.hasPrefix("both") && store[$0.key]!.contains(word) })
    }
    let copies = store.names.filter { $0.hasPrefix("x.conflict-") && $0.hasSuffix(".bin") }
    #expect(copies.count == 1 && Set([store["x.bin"], store[copies.first ?? ""]]) == ["mine\u{0}", "theirs\u{0}"])
    #expect(
      copies.first?.wholeMatch(of: /x\.conflict-\d{8}T\d{6}Z-[A-Za-z0-9_-]+-[a-f0-9]{4}\.bin/) != nil, "\(copies)")
    #expect(try outcome.json(Report.self).actions(on: "same.org").isEmpty)
  }

  @Test(
    "a rename is copied to the other side, and an edit of the other side follows it",
    arguments: [
      ("org", "home"), ("home", "org"),
    ])
  func rename(side: String, other: String) throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/old.org": "* Old\ntext\n", "org/plain.org": "* Plain\n", "org/x.org": "* X\n"])
    try sandbox.once()
    try sandbox.move("\(side)/old.org", "\(side)/sub/new.org")
    try sandbox.move("\(side)/plain.org", "\(side)/renamed.org")
    try sandbox.write("* Old\ntext\nedited\n", to: "\(other)/old.org")
    try sandbox.once()
    #expect(sandbox.store.names == ["renamed.org", "sub/new.org", "x.org"])
    #expect(sandbox.store["sub/new.org"] == "* Old\ntext\nedited\n")
    #expect(sandbox.tree("home") == sandbox.store)
  }

  @Test("renaming every file does not count as deletions")
  func renamedFolder() throws {
    let sandbox = try Sandbox()
    for number in 0..<20 { try sandbox.write("* Note \(number)\n", to: "org/a/\(number).org") }
    try sandbox.once()
    try sandbox.move("org/a", "org/b")
    let report = try sandbox.once()
    #expect(report.home.counts.held == 0)
    #expect(sandbox.tree("home") == sandbox.store && sandbox.store.files.count == 20)
    #expect(!FileManager.default.fileExists(atPath: sandbox.path("home/a")))
  }

  @Test("swapped and rotated names arrive")
  func swap() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/a.org": "* A\n", "org/b.org": "* B\n", "org/c/d.org": "* D\n", "org/e/f.org": "* F\n"])
    try sandbox.once()
    try sandbox.move("org/a.org", "org/t")
    try sandbox.move("org/b.org", "org/a.org")
    try sandbox.move("org/t", "org/b.org")
    // A hierarchy turned inside out.
    try sandbox.move("org/c", "org/e/c")
    try sandbox.move("org/e", "org/c2")
    try sandbox.once()
    #expect(sandbox.tree("home") == sandbox.store)
    #expect(sandbox.store["a.org"] == "* B\n" && sandbox.store["b.org"] == "* A\n")
  }

  @Test(
    "of a file and a folder with one name, the folder keeps the name and the file is kept beside it",
    arguments: [
      ("org", "home"), ("home", "org"),
    ])
  func clash(file: String, folder: String) throws {
    let sandbox = try Sandbox()
    try sandbox.write(["\(file)/n": "a file\n", "\(folder)/n/inside.org": "* Inside\n"])
    let outcome = try sandbox.syncd("--once", "--json")
    #expect([0, 3].contains(outcome.status), "\(outcome.story)")
    try sandbox.settle()
    #expect(sandbox.tree("home") == sandbox.store)
    #expect(sandbox.store["n/inside.org"] == "* Inside\n")
    #expect(sandbox.store.files.values.contains(Data("a file\n".utf8)))
  }

  @Test("a file can become a folder, and a folder a file")
  func kinds() throws {
    let sandbox = try Sandbox()
    try sandbox.write(["org/x": "file\n", "org/y/z.org": "* Z\n", "org/o.org": "* O\n", "org/p.org": "* P\n"])
    try sandbox.once()
    try sandbox.remove("org/x", "org/y")
    try sandbox.write(["org/x/in.org": "* In\n", "org/y": "now a file\n"])
    try sandbox.once()
    #expect(sandbox.tree("home") == sandbox.store)
    #expect(sandbox.store["x/in.org"] == "* In\n" && sandbox.store["y"] == "now a file\n")
  }

  @Test("several remotes converge within one run", arguments: [2, 3])
  func remotes(count: Int) throws {
    let names = ["one", "two", "three"].prefix(count)
    let sandbox = try Sandbox(remotes: Array(names))
    try sandbox.write("* S\n", to: "org/s.org")
    for name in names { try sandbox.write("* \(name)\n", to: "\(name)/\(name).org") }
    try sandbox.once()
    for name in names { #expect(sandbox.tree(name) == sandbox.store) }
    #expect(sandbox.store.files.count == count + 1)
    try sandbox.write("* S\nfrom the last\n", to: "\(names.last ?? "")/s.org")
    try sandbox.remove("one/\(names.last ?? "").org")
    try sandbox.once()
    for name in names { #expect(sandbox.tree(name) == sandbox.store) }
    #expect(sandbox.store["s.org"] == "* S\nfrom the last\n" && sandbox.store.files.count == count)
    #expect(try sandbox.once().remotes.allSatisfy { $0.actions.isEmpty })
  }

  @Test("two devices that share a remote converge, and the same conflict has one result")
  func devices() throws {
    let sandbox = try Sandbox()
    try sandbox.writeSettings(state: "state2", storePath: "org2", file: "two.toml")
    try sandbox.write(["org/a.org": "* A\nbody\n", "org/b.bin": "base\u{0}"])
    try FileManager.default.createDirectory(atPath: sandbox.path("org2"), withIntermediateDirectories: true)
    try sandbox.once()
    try sandbox.once(settings: "two.toml")
    #expect(sandbox.tree("org2") == sandbox.store)
    try sandbox.write([
      "org/b.bin": "one\u{0}", "org2/b.bin": "two\u{0}", "org/a.org": "* A\nbody\n* New 1\n",
      "org2/a.org": "* B\nbody\n",
    ])
    for _ in 0..<2 {
      for settings in ["s.toml", "two.toml"] { _ = try sandbox.syncd("--once", settings: settings) }
    }
    #expect(sandbox.tree("org2") == sandbox.store && sandbox.tree("home") == sandbox.store)
    #expect(sandbox.store.names.count { $0.hasPrefix("b.conflict-") } == 1)
    #expect(sandbox.store["a.org"]?.contains("New 1") == true)
    // A deletion is permanent on both devices.
    try sandbox.remove("org/a.org")
    for _ in 0..<2 {
      for settings in ["s.toml", "two.toml"] { _ = try sandbox.syncd("--once", settings: settings) }
    }
    #expect(
      sandbox.store["a.org"] == nil && sandbox.tree("org2") == sandbox.store && sandbox.tree("home") == sandbox.store)
    #expect(sandbox.store.litter.isEmpty && sandbox.tree("home").litter.isEmpty)
  }

  @Test(
    "a file that another device renamed and edited on two remotes and that was edited here is one file with both edits"
  )
  func renamedOnTwoRemotes() throws {
    let sandbox = try Sandbox(remotes: ["home", "away"])
    let base = (1...10).map { "* Entry \($0)\ntext of \($0)\n" }.joined()
    try sandbox.write(base, to: "org/a.org")
    try sandbox.once()
    for remote in ["home", "away"] {
      try sandbox.remove("\(remote)/a.org")
      try sandbox.write(base.replacing("text of 3", with: "edited there"), to: "\(remote)/b.org")
    }
    try sandbox.write(base.replacing("text of 7", with: "edited here"), to: "org/a.org")
    try sandbox.once()
    let both = base.replacing("text of 3", with: "edited there").replacing("text of 7", with: "edited here")
    #expect(sandbox.store.names == ["b.org"])
    for folder in ["org", "home", "away"] { #expect(sandbox.tree(folder)["b.org"] == both, "\(folder)") }
  }
}
