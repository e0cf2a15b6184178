import ArchiveSQLite
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

/// The findings of `syncd doctor` about one remote, or about this machine.
struct Diagnosis: Sendable {
  var name: String
  var findings: [Finding] = []
  /// The exit status of the worst problem; nil without one.
  var status: Int32?

  /// Diagnoses the store and the program's own state.
  init(ofMachineIn workspace: Workspace) async {
    name = "this machine"
    await record { try await workspace.stack.openStore().diagnose() }
    await record { Self.unwritable(workspace.configuration.store.localFolders) }
    await record { Self.otherPrograms(workspace.configuration.store) }
    await record { await Self.unknownConditions(workspace.configuration) }
    await record {
      ExposedFiles.writable(workspace.configuration.file)
        + ExposedFiles.readable(
          workspace.configuration.store.privateFiles + (workspace.configuration.hub?.tls.privateFiles ?? []))
    }
    await record(raising: .damaged) {
      let damages = try await workspace.archive.verify()
      guard damages.isEmpty else {
        return damages.map { Finding(.problem, $0) } + [
          Finding(.note, SyncError.Remedy.moveAside(workspace.state.path))
        ]
      }
      return [Finding(.good, "history, journal and base in \(workspace.state.path) are intact")]
    }
  }

  /// Creates a diagnosis with one finding.
  init(name: String, _ finding: Finding) {
    self.name = name
    findings = [finding]
    if finding.level == .problem { raise(PassResult.failed.exitStatus) }
  }

  /// Diagnoses a remote.
  init(of remote: RemoteConfiguration, in workspace: Workspace) async {
    name = remote.name
    await record { try await workspace.stack.open(remote).diagnose() }
    await record(raising: .held) {
      let known = try await workspace.archive.memory(of: remote.name).remoteRoot
      guard let known else { return [] }
      return Self.exchanged(
        try await workspace.stack.open(remote).snapshot(since: Known()).root, known, remote.name)
    }
    await record { Self.unwritable(remote.localFolders) + ExposedFiles.readable(remote.privateFiles) }
  }

  /// Reports a replica that is not the known one, which stops the next pass.
  private static func exchanged(_ found: RootIdentity, _ known: RootIdentity, _ remote: String) -> [Finding] {
    guard known.id != nil, found.address == known.address, found.id != known.id else { return [] }
    let what =
      found.id == nil
      ? "the marker that identifies the replica is missing (\(ReservedName.marker), where the remote has one)"
      : "this is not the replica that was synced before"
    return [
      Finding(
        .problem,
        "\(what); syncd does not sync with it. Check that the right disk is mounted; "
          + SyncError.Remedy.reset(remote: remote).instruction)
    ]
  }

  /// Reports local folders, and files that contain all others, that are not writable.
  private static func unwritable(_ places: [String]) -> [Finding] {
    places.compactMap { place in
      var facts = stat()
      guard unsafe stat(place, &facts) == 0 else { return nil }
      let isFolder = facts.st_mode & S_IFMT == S_IFDIR
      guard unsafe access(place, isFolder ? W_OK | X_OK : W_OK) != 0 else { return nil }
      return Finding(.problem, "cannot write to \(place): \(unsafe String(cString: strerror(errno)))")
    }
  }

  /// Reports conditions of `only-on` that have no effect, because nothing on this machine knows whether they hold.
  private static func unknownConditions(_ configuration: DaemonConfiguration) async -> [Finding] {
    let conditions = Set(
      configuration.remotes.flatMap { Restraint($0.settings, configuration.daemon).conditions })
    guard !conditions.isEmpty else { return [] }
    let state = await MachineProbe(variables: ProcessInfo.processInfo.environment).state(for: conditions)
    return SyncCondition.allCases.filter { conditions.contains($0) && !state.knows($0) }.map {
      let service = $0 == .mains ? "UPower" : "NetworkManager"
      return Finding(
        .note, "`only-on` has no effect for \"\($0.rawValue)\": \(service) does not answer on the system bus")
    }
  }

  /// Reports other programs that sync the store.
  private static func otherPrograms(_ store: StoreConfiguration) -> [Finding] {
    guard let root = store.root else { return [] }
    return ForeignSync.all(above: FolderNames.resolved(root)).map { Finding(.note, $0.notice) }
  }

  /// Adds the findings of `find`; an error that prevents them is a finding itself.
  ///
  /// - Parameter result: the result that a problem means for the exit status.
  private mutating func record(
    raising result: PassResult = .failed, _ find: () async throws -> [Finding]
  ) async {
    do {
      let found = try await find()
      findings += found
      if found.contains(where: { $0.level == .problem }) { raise(result.exitStatus) }
    } catch let error as SyncError {
      findings.append(Finding(.problem, error.explanation))
      raise(Failure.status(of: error))
    } catch {
      findings.append(Finding(.problem, "\(error)"))
      raise(1)
    }
  }

  private mutating func raise(_ new: Int32) { status = Failure.worst(status ?? 0, new) }

  var lines: [String] { ["\(name):"] + findings.map { "  \($0.level.word) \($0.text)" } }

  var json: JSON {
    [
      "name": .string(name),
      "findings": .array(findings.map { ["level": .string($0.level.rawValue), "text": .string($0.text)] }),
    ]
  }
}

extension Finding.Level {
  fileprivate var word: String {
    switch self {
    case .good: "ok:"
    case .note: "note:"
    case .problem: "problem:"
    }
  }
}
