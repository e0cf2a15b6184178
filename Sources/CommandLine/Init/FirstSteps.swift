import ArgumentParser
import SyncDaemon
import SyncKit

/// The steps after the settings are written, which `syncd init` offers on a terminal.
struct FirstSteps {
  private let configuration: DaemonConfiguration
  private let common: CommonOptions
  private let remote: String

  init(_ configuration: DaemonConfiguration, _ common: CommonOptions, _ remote: String) {
    self.configuration = configuration
    self.common = common
    self.remote = remote
  }

  /// Offers a sign-in, a diagnosis and a dry run, in this order. Problems that they find are printed, and the settings stay.
  func offer(_ interview: Interview) async throws {
    guard try await signIn(interview) else { return }
    if interview.agrees(to: "Check this machine and the remote with `syncd doctor`?", key: "doctor") {
      guard try await DoctorCommand.diagnose(configuration, remote: remote) == 0 else { return }
    }
    if interview.agrees(to: "Show what the first sync will do? It changes nothing.", key: "dry-run") {
      try await RootCommand.printOnce([configuration], common, remotes: [remote], isDryRun: true)
    }
  }

  /// Returns false if the remote still needs a sign-in.
  private func signIn(_ interview: Interview) async throws -> Bool {
    let configuration = try configuration.remote(named: remote)
    let plugins = [configuration.cloud, configuration.sync].compactMap(\.self)
    guard let plugin = plugins.first(where: { RemoteKind.needsLogin($0.type) }) else { return true }
    while interview.agrees(to: "Sign in to \(remote) now?", key: "login") {
      do {
        let signIn = try await LoginCommand.signIn(to: plugin)
        Console.print("signed in to \(remote) as \(signIn.account)")
        return true
      } catch let error as SyncError { Console.error("\(error.explanation).") }
    }
    return false
  }
}
