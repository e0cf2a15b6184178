import ArgumentParser
import SyncDaemon
import SyncKit

/// `syncd adopt`: merges the conflict copies of other programs.
struct AdoptCommand: AsyncParsableCommand, DryRunning {
  static let configuration = CommandConfiguration(
    commandName: "adopt", abstract: "Merge the conflict copies of other programs into their files.",
    discussion: """
      The merge starts from the version in the history that is most similar to the copy, and the copy is removed. Where both \
      changed the same place, the file has marks, and the exit status is 3. A copy whose name other files can have, too, is \
      adopted only by its name or a pattern, if it is similar to the file. The content of the copy stays in the history, and \
      `syncd undo last` undoes the command.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var plan: DryRunOption
  @Flag(help: "Adopt all copies whose names prove that another program wrote them.") var all = false
  @Argument(
    help: ArgumentHelp("Copies, or patterns in git's syntax.", valueName: "path"), completion: .foreignCopies)
  var paths: [StorePath] = []

  func validate() throws {
    guard all != !paths.isEmpty else { throw ValidationError("name copies, or use --all") }
  }

  func run() async throws {
    let configuration = try common.configuration(of: paths)
    let results = try await Workspace.with(configuration, plan.dryRun ? .readOnly : .exclusive) { workspace in
      let adoption = try await CopyAdoption(in: workspace)
      var results: [AdoptedFile] = []
      let copies = try chosen(from: try await adoption.copies(), configuration)
      do throws(SyncError) {
        for copy in copies { results.append(AdoptedFile(copy: copy, outcome: try await outcome(of: copy, adoption))) }
      } catch {
        // Standard output has only one JSON document: that of the error.
        if !common.json, !results.isEmpty { show(results) }
        throw error
      }
      return results
    }
    show(results)
    if results.contains(where: \.needsAttention) { throw ExitCode(PassResult.conflicts.exitStatus) }
  }

  /// Adopts a copy. An error that concerns one copy does not stop the others.
  private func outcome(
    of copy: ForeignCopy, _ adoption: CopyAdoption
  ) async throws(SyncError) -> CopyAdoption.Outcome {
    do throws(SyncError) { return try await adoption.adopt(copy) } catch {
      guard error.reach == .path else { throw error }
      return .kept(reason: error.explanation)
    }
  }

  private func chosen(
    from copies: [ForeignCopy], _ configuration: DaemonConfiguration
  ) throws -> [ForeignCopy] {
    if all { return copies.filter { !$0.isUncertain } }
    var chosen: Set<ForeignCopy> = []
    for name in paths {
      let path = try? name.path(in: configuration)
      let matching = copies.filter { $0.path == path || name.choice.matches($0.path) }
      guard !matching.isEmpty else {
        let path = try name.path(in: configuration)
        throw SyncError(
          .notFound, "\(path) is not a conflict copy of another program; `syncd conflicts --foreign` lists them")
      }
      chosen.formUnion(matching)
    }
    return copies.filter(chosen.contains)
  }

  private func show(_ results: [AdoptedFile]) {
    if common.json {
      return Console.print(
        json: ["version": 1, "dry-run": .boolean(plan.dryRun), "copies": .array(results.map(\.json))])
    }
    for result in results where !common.quiet || result.needsAttention { Console.print(result.line(plan.dryRun)) }
    if results.isEmpty, !common.quiet { Console.print("no conflict copies of other programs") }
  }
}

/// A conflict copy of another program, and what `syncd adopt` did with it.
private struct AdoptedFile: Sendable {
  var copy: ForeignCopy
  var outcome: CopyAdoption.Outcome

  /// True if a person has to act.
  var needsAttention: Bool {
    switch outcome {
    case .removed, .merged: false
    case .marked, .kept: true
    }
  }

  func line(_ isDryRun: Bool) -> String {
    let would = isDryRun ? "would be " : ""
    return switch outcome {
    case .removed: "\(copy.path): \(would)removed; \(copy.file) or its history has everything in it"
    case .merged: "\(copy.path): \(would)merged into \(copy.file)"
    case .marked:
      "\(copy.path): \(would)merged into \(copy.file) with a conflict; edit the marked places, or run "
        + "`syncd resolve \(copy.file) --ours`"
    case .kept(let reason): "\(copy.path): not adopted: \(reason)"
    }
  }

  var json: JSON {
    let (result, reason) =
      switch outcome {
      case .removed: ("removed", "")
      case .merged: ("merged", "")
      case .marked: ("conflict", "")
      case .kept(let reason): ("kept", reason)
      }
    return [
      "path": .string(copy.path.description), "file": .string(copy.file.description), "result": .string(result),
      "reason": .string(reason),
    ]
  }
}
