import OrgKit

extension CallRun {
  /// Returns the answer to a query.
  mutating func answer(_ call: CallFile.Call, _ place: OrgPlace, _ context: OrgContext) throws(Refusal) -> CallValue? {
    let args = call.args ?? .null
    switch call.verb {
    case "date":
      let reader = OrgDateReader(now: context.now, zone: context.zone, settings: context.settings)
      return .text(try reader.read(args["text"]?.text ?? "").typed)
    case "get-property":
      let value = try property(
        args["name"]?.text ?? "", at: place, inherits: args["inherit"]?.isTrue ?? false, in: &files, context)
      return value.map(CallValue.text)
    default: throw Refusal(.invalid, "Unknown verb \(call.verb)")
    }
  }
}
