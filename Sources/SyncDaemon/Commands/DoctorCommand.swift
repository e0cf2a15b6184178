import ArgumentParser
import SyncKit

/// `syncd doctor`: tries out what the remotes can do, and says what is not as promised.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Try out what a remote can do, and say what is not as promised.")

  @OptionGroup var common: CommonOptions
  @Argument(help: "The remote; none means all.") var remote: String?

  func run() async throws {
    let configuration = try common.configuration()
    let remotes = configuration.remotes.filter { remote == nil || $0.name == remote }
    guard !remotes.isEmpty || remote == nil else {
      let names = configuration.remotes.map(\.name).joined(separator: ", ")
      throw ValidationError("there is no remote \"\(remote ?? "")\" in \(configuration.file); there is \(names)")
    }
    let diagnoses = try await Workspace.with(configuration, .readOnly) { workspace in
      var diagnoses: [Diagnosis] = []
      for remote in remotes { diagnoses.append(await Diagnosis(of: remote, in: workspace)) }
      return diagnoses
    }
    print(diagnoses)
    if let status = diagnoses.compactMap(\.status).max() { throw ExitCode(status) }
  }

  private func print(_ diagnoses: [Diagnosis]) {
    guard !common.json else {
      return Console.print(json: ["version": 1, "remotes": .array(diagnoses.map(\.json))])
    }
    for line in diagnoses.flatMap(\.lines) { Console.print(line) }
  }
}

/// What was found out about one remote.
private struct Diagnosis: Sendable {
  var name: String
  var findings: [Finding] = []
  /// The exit status that it asks for; nil if all is well.
  var status: Int32?

  init(of remote: RemoteConfiguration, in workspace: Workspace) async {
    name = remote.name
    do {
      findings = try await workspace.stack.open(remote).diagnose()
      if findings.contains(where: { $0.level == .problem }) { status = 4 }
    } catch let error as SyncError {
      findings = [Finding(.problem, error.message)]
      status = Failure.status(of: error)
    } catch {
      findings = [Finding(.problem, "\(error)")]
      status = 1
    }
  }

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
