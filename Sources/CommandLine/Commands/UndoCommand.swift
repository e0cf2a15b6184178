import ArchiveSQLite
import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd undo`: undoes all actions of a pass, on both sides.
struct UndoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Undo everything that a pass did, in the store and on the remotes.",
    discussion: "The store gets back what was there before the pass, and the next pass sends that to the remotes.")

  @OptionGroup var common: CommonOptions
  @Flag(help: "Only list what would be undone.") var list = false
  @Argument(help: "Number of the pass, as `syncd log` shows it, or `last`.", completion: .passes) var pass: String

  func validate() throws {
    guard pass == "last" || Int(pass) != nil else {
      throw ValidationError("'\(pass.printable)' is neither the number of a pass nor `last`")
    }
  }

  func run() async throws {
    try await Workspace.with(common.configuration(), list ? .readOnly : .exclusive) { workspace in
      let undo = try await PassUndo(pass, in: workspace)
      if list { return show(undo.past, of: undo.record) }
      let (count, errors) = try await undo.carryOut()
      for error in errors { Console.error("syncd: \(error.explanation)") }
      tell(count, errors, undo.past, of: undo.record)
      if !errors.isEmpty { throw ExitCode(4) }
    }
  }

  // MARK: Output

  private func show(_ past: PassUndo.Past, of record: PassRecord) {
    if common.json { return Console.print(json: PassUndo.json(past.changes.count, [], of: record)) }
    for change in past.changes {
      let what = change.before == nil ? "remove" : change.after == nil ? "put back" : "restore"
      Console.print("\(what) \(change.path)")
    }
    if past.changes.isEmpty, !common.quiet { Console.print(past.nothing(of: record)) }
  }

  private func tell(_ count: Int, _ errors: [SyncError], _ past: PassUndo.Past, of record: PassRecord) {
    if common.json { return Console.print(json: PassUndo.json(count, errors, of: record)) }
    guard !common.quiet else { return }
    Console.print(
      count == 0 && errors.isEmpty
        ? past.nothing(of: record)
        : "undid \(count.counted("change")) of pass \(record.number); the next pass sends the result to the remotes")
  }
}
