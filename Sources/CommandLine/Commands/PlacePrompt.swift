import OrgMerging
import SyncDaemon
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Makes one file of the versions of a conflict.
protocol VersionMerging: Sendable {
  /// Returns the merged file; throws if the conflict stays open. Files for other programs are in a new folder in `parent`.
  func merge(_ versions: MergeTool.Versions, in parent: String) throws(SyncError) -> [UInt8]
}

extension MergeTool: VersionMerging {}

/// Asks a person at the terminal about each place of a conflict.
struct PlacePrompt: VersionMerging {
  /// The answers to a question.
  private enum Answer: Character, CaseIterable {
    case ours = "o"
    case theirs = "t"
    case both = "b"
    case edit = "e"
    case quit = "q"
  }

  private static let question =
    "\(Answer.allCases.map { "\($0)" }.joined(separator: ", "))? [\(Answer.allCases.map { String($0.rawValue) }.joined(separator: ","))] "

  func merge(_ versions: MergeTool.Versions, in parent: String) throws(SyncError) -> [UInt8] {
    let isOrg = OrgMerger.isOrg(versions.name.utf8)
    let file = DisputedFile(ours: versions.local, theirs: versions.remote, hasEntries: isOrg)
    var chosen: [[UInt8]] = []
    for (index, place) in file.places.enumerated() {
      Console.error("\(versions.name), place \(index + 1) of \(file.places.count)")
      chosen.append(try choice(for: place, versions.name, in: parent))
    }
    return file.merged(chosen)
  }

  private func choice(for place: DisputedFile.Place, _ name: String, in parent: String) throws(SyncError) -> [UInt8] {
    show("ours", place.ours, in: .red)
    show("theirs", place.theirs, in: .green)
    while true {
      Console.error(Self.question, terminator: "")
      guard let line = readLine() else { throw stopped(name) }
      switch line.first.flatMap(Answer.init) {
      case .ours: return place.ours
      case .theirs: return place.theirs
      case .both: return place.both
      case .quit: throw stopped(name)
      case .edit: if let edited = try edit(place, name, in: parent) { return edited }
      case nil:
        Console.error(
          "o takes our lines (of the store), t theirs (of the remote), b both, e opens your editor, q leaves the conflict open"
        )
      }
    }
  }

  private func show(_ side: String, _ lines: [UInt8], in colour: Colour) {
    Console.error("  \(side):")
    for line in lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast(
      lines.last == 0x0A ? 1 : 0)
    {
      Console.error("    " + String(decoding: line, as: UTF8.self), in: colour)
    }
    if lines.isEmpty { Console.error("    (nothing)") }
  }

  private func stopped(_ name: String) -> SyncError {
    SyncError(.pathFailed, "the conflict in \(name) stays open; nothing was changed")
  }

  /// Opens the lines of both sides, between the markers of git, in the user's editor. Returns the edited lines; nil if there are still
  /// markers, or the editor failed.
  private func edit(_ place: DisputedFile.Place, _ name: String, in parent: String) throws(SyncError) -> [UInt8]? {
    let folder = try MergeTool.newFolder(in: parent)
    let path = "\(folder)/\(name)"
    defer {
      unsafe unlink(path)
      unsafe rmdir(folder)
    }
    let marked = DisputedFile.Place(
      ours: Array("<<<<<<< ours\n".utf8) + place.ours, theirs: Array("=======\n".utf8) + place.theirs)
    let end = DisputedFile.Place(ours: marked.both, theirs: Array(">>>>>>> theirs\n".utf8))
    try LocalFile.writePrivately(end.both, to: path)
    // The terminal belongs to the editor until it ends.
    let status = unsafe system("\(Self.editor) \(MergeTool.quoted(path))")
    guard status == 0 else {
      Console.error("syncd: the editor `\(Self.editor)` failed")
      return nil
    }
    let edited = try LocalFile.read(path)
    guard !MergeTool.hasMarkers(edited) else {
      Console.error("syncd: the lines still have conflict markers")
      return nil
    }
    return edited
  }

  /// The user's editor, as git chooses it.
  private static var editor: String {
    let variables = ProcessInfo.processInfo.environment
    return ["VISUAL", "EDITOR"].compactMap { variables[$0] }.first { !$0.isEmpty } ?? "vi"
  }
}
