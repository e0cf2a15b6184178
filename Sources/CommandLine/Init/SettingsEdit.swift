import SettingsRegistry
import SyncDaemon
import SyncKit

/// An edit of the settings file that keeps its comments, order and layout. Nothing is written until the result is valid.
struct SettingsEdit {
  let path: String
  /// The text to write.
  var text: TOMLText
  private let former: [UInt8]

  /// Reads the settings file at `path`.
  init(of path: String) throws {
    guard LocalFile.exists(path) else {
      throw SyncError(.invalidSettings, "no settings file at \(path); create one with `syncd init`")
    }
    self.path = path
    former = try LocalFile.read(path)
    text = try TOMLText(former, file: path)
  }

  /// Interprets the text, and returns the settings of each store; throws its mistakes.
  func stores() throws -> [DaemonConfiguration] {
    let file = SettingsFile(text.bytes, file: path, environment: .current(forFileAt: path))
    return try DaemonConfiguration.stores(in: file, file: path, registry: Program.registry)
  }

  /// Rethrows the mistakes of a text that `body` interprets, without their lines: the file does not have them.
  func refusingMistakes<Value>(to what: String, _ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as SettingsError { throw refusal(error, to: what) }
  }

  /// Returns the error for the mistakes of a text, without their lines: the file does not have them.
  func refusal(_ error: SettingsError, to what: String) -> SyncError {
    let mistakes = error.diagnostics.map { mistake in
      mistake.message + (mistake.suggestion.map { " (did you mean \"\($0)\"?)" } ?? "")
    }
    return SyncError(.invalidSettings, "cannot \(what): \(mistakes.joined(separator: "; ")). \(path) is unchanged")
  }

  /// Atomically replaces the file if the text is valid. The file keeps its permissions, and a link stays a link. Returns the new
  /// settings.
  @discardableResult
  func write() throws -> [DaemonConfiguration] {
    let stores = try stores()
    guard try LocalFile.read(path) == former else {
      throw SyncError(
        .changedMeanwhile, "another program has just changed \(path); nothing was written. Run the command again")
    }
    try LocalFile.write(text.bytes, to: path)
    if stores.contains(where: { ControlSocket.isServed(StateFolder(path: $0.stateFolder)) }) {
      Console.error("the running service uses the former settings until it gets SIGHUP or is restarted")
    }
    return stores
  }
}
