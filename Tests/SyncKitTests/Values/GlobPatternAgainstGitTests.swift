import Foundation
import ProgramTesting
import Testing

@testable import SyncKit

/// Compares with real git: random patterns for one tree of awkward names.
@Suite("Ignore patterns compared with git check-ignore", .enabled(if: git != nil, "git is not installed"))
struct GlobPatternAgainstGitTests {
  @Test("patterns ignore what git ignores", arguments: 0..<12 as Range<UInt64>)
  func agrees(seed: UInt64) throws {
    let tree = try IgnoreTree()
    var random = SplitMix64(state: seed &+ 4_711)
    for _ in 0..<16 {
      let lines = (0..<Int.random(in: 1...5, using: &random)).map { _ in randomLine(&random) }
        .filter { $0.firstMatch(of: gluedAsterisks) == nil }
      let (ours, theirs) = (tree.ignored(by: lines), try tree.ignoredByGit(lines))
      #expect(ours == theirs, "\(lines): ours alone \(ours.subtracting(theirs)), git's \(theirs.subtracting(ours))")
    }
  }

  @Test(
    "patterns ignore what git ignores in known hard cases",
    arguments: [
      ["a//b"], ["//a"], ["a/**"], ["**/a"], ["**a"], ["a**"], ["a/**/b"], ["**/"], ["**"], ["/"], ["!"], ["/**"],
      ["a\\"], ["[ab"], ["[]a]"], ["[!a]"], ["[^a]b"], ["[z-a]"], ["[a-]"], ["[-a]"], ["[[:alpha:]]"], ["[![:digit:]]"],
      ["[[:space:]]*"], ["[[:nonsense:]]"], ["[\\]]"], ["[a\\-c]"], ["a b"], ["a\\ "], ["a  "], ["a\\\\ "], ["\\#a#"],
      ["#a"], ["\\!a"], ["!a"], ["a", "!a"], ["a/", "!a/b"], ["*", "!a"], ["*", "!*/", "!b"], ["a/*", "!a/b"],
      ["/a/b"], ["a/b/"], ["b/"], ["*/b"], ["?"], ["??"], ["*a*b*"], ["a*/b"], ["a?b"], ["a[/]b"], ["[a/b]"], ["\\a"],
      ["\\*"], ["[*]"], ["a\r"], ["\t"], [" a"], ["a/./b"], ["./a"], ["../a"], ["**/**/b"], ["a/**/**/b"], ["/*/b"],
      ["[a-c]"], ["[!a-c]*"], ["***"], ["a***b"], ["**/*/b"], ["a/**b"], ["*.org"], [".*"], ["é"], ["[é]"],
    ])
  func knownCases(lines: [String]) throws {
    let tree = try IgnoreTree()
    #expect(tree.ignored(by: lines) == (try tree.ignoredByGit(lines)))
  }

  /// In `a**/b` git treats asterisks after a plain beginning as folders; according to gitignore(5), and here, they are plain
  /// asterisks.
  private var gluedAsterisks: Regex<Substring> { /[^\/*!]\*{2,}/ }

  @Test("two asterisks match folders only between separators")
  func gluedAsterisksAreOne() throws {
    let pattern = try #require(GlobPattern("a**/b"))
    for (path, expected) in [("ab/b", true), ("a/b", true), ("a/c/b", false)] {
      #expect(pattern.matches(Array(path.utf8), isFolder: false) == expected)
    }
  }

  private func randomLine(_ random: inout SplitMix64) -> String {
    let pieces = [
      "a", "b", "c", "a", "b", "*", "*", "**", "?", "/", "/", "**/", "/**", ".org", " ", "\\", "\\*", "[ab]", "[!a]",
      "[a-c]", "[", "]", "[]a]", "#", "é", "[[:alpha:]]", "\\ ",
    ]
    let start = ["", "", "", "", "!", "/", "**/", "#", "\\#", "\\!"].randomElement(using: &random) ?? ""
    let body = (0..<Int.random(in: 1...5, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
    let end = ["", "", "", "/", "/**", " ", "\\ "].randomElement(using: &random) ?? ""
    return start + body.joined() + end
  }
}

@Suite("The default ignore list", .enabled(if: git != nil, "git is not installed"))
struct DefaultIgnoresTests {
  static let dropped = [
    ".#a.org", "#a.org#", "a.org~", "a.org.~1~", "a.org.~undo-tree~", ".saves-1-host", "a.elc", ".org-id-locations",
    ".orgids", "org-roam.db", "org-roam.db-journal", ".a.org.swp", ".a.org.swo", "4913", ".dat.nosync24A7.ZZAv3w",
    ".DS_Store", "._a.org",
    "Thumbs.db", "desktop.ini", ".fuse_hidden0001", ".nfs0001", ".git", ".stfolder", ".stversions", ".sync_1.db",
    ".dropbox", ".dropbox.cache", "a.org.partial",
  ]
  static let kept = [
    "notes.org", "a.org_archive", "#a.org", "a#.org", "a~b.org", ".dir-locals.el", ".projectile", ".syncdignore",
    "a.org.gpg", "desktop.ini.org", "14913", "a.swp.org", "git", ".gitignore", "a.conflict-19700101T000000Z-me1234.org",
  ]

  @Test("the list covers temporary files of editors, systems and tools, at any depth", arguments: dropped)
  func drops(name: String) throws {
    let filter = PathFilter(ignore: DefaultIgnores.lines)
    for path in [name, "deep/er/" + name] { #expect(!filter.accepts(try #require(SyncPath(path))), "\(path)") }
    #expect(!filter.accepts(try #require(SyncPath(name + "/inside.org"))))
  }

  @Test("the list keeps documents", arguments: kept)
  func keeps(name: String) throws {
    let filter = PathFilter(ignore: DefaultIgnores.lines)
    for path in [name, "deep/er/" + name] { #expect(filter.accepts(try #require(SyncPath(path))), "\(path)") }
  }

  @Test("git gives the list the same meaning")
  func agreesWithGit() throws {
    let names = Self.dropped.filter { $0 != ".git" } + Self.kept
    let tree = try IgnoreTree(files: names + names.map { "deep/" + $0 })
    #expect(tree.ignored(by: DefaultIgnores.lines) == (try tree.ignoredByGit(DefaultIgnores.lines)))
  }
}

private let git = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/git" }
  .first { FileManager.default.isExecutableFile(atPath: $0) }

/// A scratch repository with files of awkward names, for comparing git with us.
private final class IgnoreTree {
  private let root: URL
  private let files: [String]
  private let folders: [String]

  private static let names = [
    "a", "b", "c", "ab", "aab", "a b", "a ", " a", "#a", "#a#", "!a", "a.org", "b.org", ".a", "[", "]", "[ab", "a*",
    "a\\", "é", "-", "z", "1", "A",
  ]

  init(files: [String] = IgnoreTree.names + ["d", "e e", "a.d", "aa"].flatMap(IgnoreTree.nested)) throws {
    root = FileManager.default.temporaryDirectory.appending(path: "ignore-\(UUID().uuidString)")
    self.files = files
    folders = Array(
      Set(files.compactMap(SyncPath.init).flatMap(\.ancestors).map { String(decoding: $0.bytes, as: UTF8.self) }))
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    try run(["init", "-q"])
    for folder in folders {
      try FileManager.default.createDirectory(
        at: root.appending(path: folder), withIntermediateDirectories: true)
    }
    for file in files { try Data().write(to: root.appending(path: file)) }
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  /// Files in a folder, and folders with the names of files elsewhere.
  private static func nested(_ folder: String) -> [String] {
    ["a", "b", "a b", "é", ".a"].map { "\(folder)/\($0)" }
      + ["c", "ab", "A", "b.org"].flatMap { inner in ["a", "b", "c/a", "c/b"].map { "\(folder)/\(inner)/\($0)" } }
  }

  /// The files that a filter with these lines excludes.
  func ignored(by lines: [String]) -> Set<String> {
    let filter = PathFilter(ignore: lines)
    return Set(files.filter { file in SyncPath(file).map { !filter.accepts($0) } ?? false })
  }

  /// The files that git ignores with these lines.
  func ignoredByGit(_ lines: [String]) throws -> Set<String> {
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: root.appending(path: ".git/info/exclude"))
    let output = try run(
      ["check-ignore", "--no-index", "-z", "--stdin"], input: files.map { $0 + "\0" }.joined())
    return Set(output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) })
  }

  @discardableResult
  private func run(_ arguments: [String], input: String = "") throws -> Data {
    let list = root.appending(path: ".git-input")
    try Data(input.utf8).write(to: list)
    let lines = try FileHandle(forReadingFrom: list)
    var command = Command(["git"] + arguments)
    command.folder = root.path()
    command.environment.merge(["GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"]) { $1 }
    command.input = lines.fileDescriptor
    return try withExtendedLifetime(lines) { try command.run().out }
  }
}
