package import Logging
import SyncKit

/// The log, on standard error.
package enum Log {
  /// Returns the logger of a store. If there are several, messages have its name.
  package static func logger(_ configuration: DaemonConfiguration) -> Logger {
    var logger = logger(configuration.daemon)
    if configuration.isOneOfSeveral { logger[metadataKey: "store"] = "\(configuration.storeName)" }
    return logger
  }

  static func logger(_ settings: DaemonSettings) -> Logger {
    var logger = Logger(label: "syncd") { label in
      switch settings.logFormat {
      case .text: TextLogHandler(StreamLogHandler.standardError(label: label))
      case .json: JSONLogHandler()
      }
    }
    logger.logLevel = settings.logLevel.swiftLog
    return logger
  }
}

/// Writes messages as text, with control characters escaped, because servers control parts of them.
struct TextLogHandler: LogHandler {
  private var handler: StreamLogHandler

  init(_ handler: StreamLogHandler) { self.handler = handler }

  var logLevel: Logger.Level {
    get { handler.logLevel }
    set { handler.logLevel = newValue }
  }

  var metadata: Logger.Metadata {
    get { handler.metadata }
    set { handler.metadata = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { handler[metadataKey: key] }
    set { handler[metadataKey: key] = newValue }
  }

  func log(event: LogEvent) {
    var event = event
    event.message = "\("\(event.message)".printable)"
    event.metadata = event.metadata?.mapValues { "\("\($0)".printable)" }
    handler.log(event: event)
  }
}

/// Writes each message as one line of JSON.
struct JSONLogHandler: LogHandler {
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var line: JSON = [
      "time": .string("\(CivilTime(Runtime.real.now()))"), "level": .string(event.level.rawValue),
      "message": .string("\(event.message)"),
    ]
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    for (key, value) in all.sorted(by: { $0.key < $1.key }) { line[key] = .string("\(value)") }
    Console.error(line.line)
  }
}

extension LogLevel {
  fileprivate var swiftLog: Logger.Level {
    switch self {
    case .error: .error
    case .warning: .warning
    case .notice: .notice
    case .info: .info
    case .debug: .debug
    case .trace: .trace
    }
  }
}
