import Logging
import ServiceLifecycle
import SyncKit
import UnixSignals

/// `syncd` without `--once`: runs at the settings' interval until it is told to stop.
struct Service: ServiceLifecycle.Service {
  let configuration: DaemonConfiguration
  let remotes: [String]
  let common: CommonOptions

  /// Runs in the foreground until SIGTERM or SIGINT.
  func serve() async throws {
    let group = ServiceGroup(
      services: [self], gracefulShutdownSignals: [.sigterm, .sigint], logger: Log.logger(configuration.daemon.logLevel))
    try await group.run()
  }

  func run() async throws {
    try await Workspace.with(configuration, .exclusive) { workspace in
      let output = RunOutput(configuration: configuration, common: common)
      let run = OnceRun(workspace: workspace, remotes: remotes, output: output, budget: nil)
      try await cancelWhenGracefulShutdown {
        while !Task.isCancelled {
          _ = try await run.run()
          try await workspace.beginRun()
          // Being told to stop is how this wait may end.
          try? await Task.sleep(for: configuration.daemon.interval)
        }
      }
    }
  }
}
