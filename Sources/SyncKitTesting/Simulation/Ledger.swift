import SyncKit

/// A record of what people wrote and what the program replaced, kept independently of the program.
///
/// All lines of all contents are different, so that a line identifies its writer. A line is *owed* from when a person writes it
/// until a person removes it: whatever the program does, the line must be live once all is quiet. A removed line is not owed
/// again when a person restores it, because the two people may not have seen each other's edits.
actor Ledger {
  private(set) var owed: Set<String> = []
  private var takenAway: Set<String> = []
  /// Contents that the program removed under some name and no person has removed since.
  private(set) var displaced: Set<Digest> = []
  /// Every content that a person wrote, for writing again later.
  private(set) var written: [Content] = []
  /// The lines that were added to the inbox.
  private(set) var captured: Set<String> = []
  /// The number of commands that changed a store.
  private(set) var commands = 0
  private var lineCount = 0

  /// A line that was never written before.
  func newLine() -> String {
    lineCount += 1
    return "line \(lineCount)"
  }

  /// Records the replacements of a person's action.
  func record(_ replacements: [Replacement]) {
    recordLines(of: replacements)
    for replacement in replacements {
      if let digest = replacement.oldContent?.digest { displaced.remove(digest) }
    }
  }

  private func recordLines(of replacements: [Replacement]) {
    var (removed, added): (Set<String>, Set<String>) = ([], [])
    for replacement in replacements {
      removed.formUnion(replacement.old.subtracting(replacement.new))
      added.formUnion(replacement.new.subtracting(replacement.old))
    }
    // Content that is gone here and new there was moved, which neither writes nor removes it.
    takenAway.formUnion(removed.subtracting(added))
    owed.formUnion(added)
    owed.subtract(takenAway)
    for replacement in replacements {
      if let content = replacement.newContent { written.append(content) }
    }
  }

  /// Records that lines are gone that only a restored remote had.
  func lose(_ lines: Set<String>) {
    takenAway.formUnion(lines)
    owed.subtract(lines)
  }

  /// Records what a command changed in a store. The versions that it replaced must stay in the history, as those that a pass
  /// replaces: the store notes them.
  func record(command replacements: [Replacement]) {
    guard !replacements.isEmpty else { return }
    commands += 1
    recordLines(of: replacements)
  }

  /// Records that lines were added to the inbox.
  func noteCaptured(_ lines: Set<String>) { captured.formUnion(lines) }

  /// Records that the program replaced or removed a content.
  func noteDisplaced(_ content: Content) { displaced.insert(content.digest) }
}

/// One path's content before and after a person's action, with the lines of both.
struct Replacement: Sendable {
  let oldContent: Content?
  let newContent: Content?
  let old: Set<String>
  let new: Set<String>

  init(_ oldContent: Content?, _ newContent: Content?) async {
    self.oldContent = oldContent
    self.newContent = newContent
    old = Set(await Lines.of(oldContent))
    new = Set(await Lines.of(newContent))
  }
}

/// The lines that a simulated file is made of.
enum Lines {
  static func of(_ content: Content?) async -> [String] {
    guard let bytes = try? await content?.bytes() else { return [] }
    return of(bytes)
  }

  static func of(_ bytes: [UInt8]) -> [String] {
    bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
  }

  static func bytes(_ lines: [String]) -> [UInt8] { Array(lines.map { $0 + "\n" }.joined().utf8) }

  static func content(_ lines: [String]) -> Content { Content(bytes(lines)) }
}
