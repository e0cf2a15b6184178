public import CurlHTTP
public import SyncKit

/// A table `[[on]]`: what to do on an event.
public struct EventSettings: PluginSettings {
  @Setting("Event, or a list of events.")
  public var event: EventKinds
  @Setting("Only events of this remote. Default: of every remote.")
  public var remote: String?
  @Setting("Command to run, without a shell, with the event as JSON on standard input.")
  public var command: [String] = []
  @Setting(
    "Address to which the event is sent as JSON by POST. It is never shown, because it may contain a token.", .secret)
  public var url: URLText?
  @Setting("Mail address to which the event is sent as text, by the program in `sendmail` of [syncd].")
  public var mail: String?
  @Setting("Send an event for each file, at most 100 in a pass, instead of one for the pass.")
  public var perFile = false
  @Setting(
    "Wait this long between two events of the same kind and remote; the next one has the number of those left out.")
  public var rateLimit: Duration = .seconds(60)
  @Setting("End the command or the request after this long.")
  public var timeLimit: Duration = .seconds(30)
  /// The connection of `url`.
  public var http = HTTPSettings()

  public init() {}

  public var contradictions: [String] {
    let targets = [!command.isEmpty, url != nil, mail != nil].filter(\.self).count
    var contradictions: [String] = []
    if targets != 1 { contradictions.append("[[on]] needs exactly one of `command`, `url` and `mail`") }
    if let url, !["http", "https"].contains(url.scheme) {
      contradictions.append("`url` of [[on]] must begin with https:// or http://")
    }
    if let mail, !MailMessage.isAddress(mail) { contradictions.append("`mail` of [[on]] must be a mail address") }
    return contradictions
  }
}

/// The kinds of events.
public enum EventKind: String, Sendable, CaseIterable, SettingValue, Codable {
  /// A pass ended with both sides in sync.
  case synced
  /// A pass changed files.
  case changed
  /// There are more open conflicts than before.
  case conflict
  /// Deletions are held.
  case held
  /// A pass failed, or some of its files did.
  case failed
  /// A remote has not been in sync for `stale-after`.
  case stale
  /// The remote refuses the credentials.
  case login
}

/// One kind of event, or a list of them.
public struct EventKinds: SettingValue, Hashable {
  /// The kinds in file order; at least one.
  public var kinds: [EventKind]

  public init(_ kinds: [EventKind]) { self.kinds = kinds }

  public static var form: SettingForm {
    let one = EventKind.form
    return SettingForm(
      "\(one.name), or a list of them",
      schema: ["oneOf": [one.schema, ["type": "array", "items": one.schema, "minItems": 1]]], choices: one.choices)
  }

  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    guard case .array = node.value else {
      kinds = [try EventKind(node, in: environment)]
      return
    }
    kinds = try [EventKind](node, in: environment)
    if kinds.isEmpty { throw SettingsError("expected \(Self.form.name)", at: node.location) }
  }

  public var written: TOMLValue? { kinds.count == 1 ? kinds[0].written : kinds.written }
}
