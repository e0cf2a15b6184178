import SettingsRegistry
import SyncDaemon
import SyncKit

/// A check of a remote whose settings are not written yet. It changes nothing.
enum FirstContact {
  /// Returns the remote when the settings are valid and, on a terminal, the user is content with the result of the check.
  ///
  /// - Parameters:
  ///   - file: the text of the settings file with the remote.
  ///   - path: the path of the settings file.
  ///   - validate: throws what is wrong with the settings.
  static func accepted(
    _ draft: RemoteDraft, _ interview: Interview, in file: (RemoteDraft) -> String, at path: String,
    check validate: (RemoteDraft) throws -> Void
  ) async throws -> RemoteDraft {
    var draft = draft
    while true {
      draft = try interview.corrected(draft, in: file, check: validate)
      if try await isAccepted(draft, interview, text: file(draft.withSecrets), at: path) { return draft }
      draft.answers = try interview.answers(for: draft)
    }
  }

  /// Contacts the remote as often as the user wants. Returns false to correct the answers.
  private static func isAccepted(
    _ draft: RemoteDraft, _ interview: Interview, text: String, at path: String
  ) async throws -> Bool {
    // Without a sign-in, the remote refuses everything.
    guard interview.isOnTerminal, !draft.kind.needsLogin else { return true }
    while true {
      Console.error("Checking \(draft.remote)…")
      let diagnosis = await check(draft.remote, in: text, at: path)
      let problems = diagnosis.findings.filter { $0.level == .problem }
      for finding in problems.isEmpty ? Array(diagnosis.findings.prefix(1)) : problems {
        Console.error("  \(finding.text)")
      }
      guard diagnosis.status != nil else { return true }
      switch try interview.failedCheck() {
      case .correct: return false
      case .again: continue
      case .keep: return true
      }
    }
  }

  /// Returns the findings about a remote.
  ///
  /// - Parameters:
  ///   - name: the remote.
  ///   - text: the settings, which contain the secrets that were typed. They are never written.
  ///   - path: the path of the future settings file.
  static func check(_ name: String, in text: String, at path: String) async -> Diagnosis {
    do {
      let configuration = try stores(text, at: path).store(ofRemote: name)
      let remote = try configuration.remote(named: name)
      if let finding = missingFolder(of: remote) { return Diagnosis(name: name, finding) }
      return try await Workspace.with(configuration, .readOnly) { await Diagnosis(of: remote, in: $0) }
    } catch let error as SyncError {
      return Diagnosis(name: name, Finding(.problem, error.explanation))
    } catch {
      return Diagnosis(name: name, Finding(.problem, "\(error)"))
    }
  }

  /// Interprets settings that only this process has.
  static func stores(_ text: String, at path: String) throws -> [DaemonConfiguration] {
    var environment = SettingsEnvironment.current(forFileAt: path)
    environment.isReadableByOthers = false
    let file = SettingsFile(text.utf8, file: path, environment: environment)
    return try DaemonConfiguration.stores(in: file, file: path, registry: Program.registry)
  }

  /// Returns what will happen to a missing folder of a remote: it is created if the folder above it exists.
  private static func missingFolder(of remote: RemoteConfiguration) -> Finding? {
    guard let folder = remote.cloud?.settings.localFolders.first(where: { !LocalFile.exists($0) }) else { return nil }
    let parent = folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? ""
    return parent.isEmpty || LocalFile.exists(parent)
      ? Finding(.note, "\(folder) does not exist; it will be created")
      : Finding(
        .problem, "\(folder) does not exist, and neither does the folder above it. Mount its disk, or correct the path")
  }
}
