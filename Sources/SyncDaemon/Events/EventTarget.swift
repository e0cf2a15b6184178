import CurlHTTP
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The receiver of events: a command, an address or a mailbox.
///
/// The text of an event, of which remotes control parts, is in the input only, never in an argument or a variable.
struct EventTarget: Sendable {
  let settings: EventSettings
  /// The program that sends mail.
  let sendmail: String

  /// An event was not delivered.
  struct Failure: Error, Hashable { var message: String }

  /// The receiver for messages, without the path of an address.
  var name: String {
    if let url = settings.url { return "POST to \(url.scheme)://\(url.text.host)" }
    return settings.mail.map { "mail to \($0)" } ?? "command \"\(settings.command.first ?? "")\""
  }

  /// Delivers an event, within the time limit.
  func deliver(_ event: SyncEvent) async throws {
    if let url = settings.url { return try await post(event, to: url) }
    if let mail = settings.mail {
      let message = MailMessage(event, to: mail)
      return try await run([sendmail, "-i", mail], input: message.text)
    }
    try await run(settings.command, input: event.json.line + "\n")
  }

  private func run(_ command: [String], input: String) async throws {
    var command = BoundedCommand(command, variables: ProcessInfo.processInfo.environment, input: Array(input.utf8))
    command.timeLimit = settings.timeLimit
    command.explainsFailures = true
    do { _ = try await command.output() } catch let error as SecretError { throw Failure(message: error.message) }
  }

  private func post(_ event: SyncEvent, to url: URLText) async throws {
    var configuration = HTTPClient.Configuration(userAgent: "syncd", settings.http)
    configuration.connections = 1
    let request = HTTPRequest(
      "POST", url.text, headers: [HTTPHeader("Content-Type", "application/json")],
      body: HTTPBytes(event.json.line + "\n"), answerLimit: 4_096, timeout: settings.timeLimit)
    do {
      let response = try await HTTPClient(configuration).send(request)
      guard (200..<300).contains(response.status) else {
        throw Failure(message: "the server answered with status \(response.status)")
      }
    } catch let error as HTTPError {
      throw Failure(message: error.message)
    }
  }
}

extension String {
  /// The host and port of an address.
  fileprivate var host: Substring {
    let rest = firstRange(of: "://").map { self[$0.upperBound...] } ?? self[...]
    let authority = rest.prefix { !"/?#".contains($0) }
    return authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
  }
}
