import OrgKit

extension CallRun {
  /// Returns the answer to a query.
  mutating func answer(_ call: CallFile.Call, _ place: OrgPlace, _ context: OrgContext) throws(Refusal) -> CallValue? {
    if QueryCall.verbs.contains(call.verb) {
      return CallValue(try QueryCall(call, place).answer(in: files, context))
    }
    let args = call.args ?? .null
    switch call.verb {
    case "date":
      let reader = OrgDateReader(now: context.now, zone: context.zone, settings: context.settings)
      return .text(try reader.read(args["text"]?.text ?? "").typed)
    case "get-property":
      let value = try property(
        args["name"]?.text ?? "", at: place, inherits: args["inherit"]?.isTrue ?? false, in: &files, context)
      return value.map(CallValue.text)
    case "refile-targets":
      return .list(try refileTargets(from: place.file, in: &files, context).map(Self.described))
    case "clock-sum": return .list(try clockedMinutes(in: place.file, of: &files, context).map(Self.described))
    // The clock is the open clock line itself; nothing remembers it otherwise.
    case "clock-resume": return nil
    default: throw Refusal(.invalid, "Unknown verb \(call.verb)")
    }
  }

  private static func described(_ target: OrgRefileTarget) -> CallValue {
    .object([
      "name": .text(target.name), "file": .text(target.file), "at": .text(target.line == nil ? "file" : "heading"),
    ])
  }

  private static func described(_ clock: (title: String, minutes: Int?)) -> CallValue {
    var members: [String: CallValue] = ["title": .text(clock.title)]
    if let minutes = clock.minutes { members["minutes"] = .number(minutes) }
    return .object(members)
  }
}
