package import OrgKit

extension OrgVerb {
  /// The verb of a call; nil for a name that is not a verb, such as a query.
  package init?(_ call: CallFile.Call, file: String) throws(Refusal) {
    let args = call.args ?? .null
    if let verb = try Self.entryVerb(call.verb, args) {
      self = verb
    } else if let verb = try Self.structureVerb(call.verb, args, file) {
      self = verb
    } else {
      return nil
    }
  }

  private static func entryVerb(_ name: String, _ args: CallValue) throws(Refusal) -> OrgVerb? {
    switch name {
    case "todo": .todo(try stateChange(args))
    case "priority": .priority(priorityChange(args["value"]?.text ?? ""))
    case "tags": .tags(tagChange(args))
    case "schedule": .schedule(dateChange(args))
    case "deadline": .deadline(dateChange(args))
    case "shift-timestamp":
      .shiftTimestamp(
        by: args["by"]?.number ?? 0, args["unit"]?.text.flatMap(OrgTimeUnit.init) ?? .day, nth: args["nth"]?.number ?? 1
      )
    case "toggle-timestamp-type": .toggleTimestampType
    case "property": .property(propertyChange(args))
    case "note": .note
    case "id": .createID
    case "title": .title(args["title"]?.text ?? "")
    case "body": .body(args["text"]?.text ?? "", log: args["log"]?.isTrue ?? false)
    case "checkbox": .checkbox(checkboxChange(args))
    case "insert-item": .insertItem(args["text"]?.text ?? "", checkbox: args["checkbox"]?.isTrue ?? false)
    case "update-cookies": .updateCookies(all: args["all"]?.isTrue ?? false)
    case "repair-list": .repairList
    case "toggle-comment": .toggleComment
    case "toggle-ordered": .toggleOrdered
    default: nil
    }
  }

  private static func stateChange(_ args: CallValue) throws(Refusal) -> OrgStateChange {
    if let state = args["state"]?.text { return .state(state) }
    switch args["to"]?.text {
    case "next": return .next
    case "previous": return .previous
    case "cycle", nil: return .cycle
    case "nextset": return .nextSet
    case "previousset": return .previousSet
    case "keys": return .key
    case .some(let name): throw Refusal(.invalid, "Unknown \(name)")
    }
  }

  private static func priorityChange(_ value: String) -> OrgPriorityChange {
    switch value {
    case "up": .up
    case "down": .down
    default: .set(value)
    }
  }

  private static func tagChange(_ args: CallValue) -> OrgTagChange {
    func names(_ key: String) -> [String] { args[key]?.elements.compactMap(\.text) ?? [] }
    if args["keys"]?.isTrue ?? false { return .keys }
    if let tag = args["toggle"]?.text { return .toggle(tag) }
    if args["add"] != nil { return .change(add: names("add"), remove: []) }
    if args["remove"] != nil { return .change(add: [], remove: names("remove")) }
    if args["align"]?.isTrue ?? false { return .align }
    return .set(names("set"))
  }

  private static func dateChange(_ args: CallValue) -> OrgDateChange {
    if args["remove"]?.isTrue ?? false { return .remove }
    if args["delay"]?.isTrue ?? false { return .delay }
    return .set(args["time"]?.text)
  }

  private static func propertyChange(_ args: CallValue) -> OrgPropertyChange {
    let value = args["value"]?.text ?? ""
    if let name = args["delete"]?.text { return .delete(name) }
    if let effort = args["effort"]?.text { return .effort(effort) }
    if let name = args["append"]?.text { return .append(name, value) }
    if let name = args["drop"]?.text { return .drop(name, value) }
    return .set(args["name"]?.text ?? "", value)
  }

  private static func checkboxChange(_ args: CallValue) -> OrgCheckboxChange {
    for (key, change) in [("reset", OrgCheckboxChange.reset), ("radio", .radio), ("add", .add), ("partial", .partial)]
    where args[key]?.isTrue ?? false {
      return change
    }
    return .toggle
  }

  private static func structureVerb(_ name: String, _ args: CallValue, _ file: String) throws(Refusal) -> OrgVerb? {
    switch name {
    case "capture": .capture(capture(args, file))
    case "refile": .refile(refile(args))
    case "archive": .archive(try archive(args))
    case "clock-in": .clockIn(start: moment(args["start"]))
    case "clock-out": .clockOut(end: moment(args["end"]))
    case "clock-cancel": .clockCancel
    case "clock-update-time": .updateClockTime
    case "update-dblock": .updateBlock(all: args["all"]?.isTrue ?? false)
    case "clock-report": .insertClockTable(args["parameters"]?.lisp.elements ?? [])
    case "sort": .sort(sort(args))
    case "sort-list": .sortList(sort(args))
    case "promote": .promote(alone: args["alone"]?.isTrue ?? false)
    case "demote": .demote(alone: args["alone"]?.isTrue ?? false)
    case "move": .move(by: (args["by"]?.number ?? 1) * (args["to"]?.text == "up" ? -1 : 1))
    case "delete": .delete
    case "duplicate": .clone(times: args["times"]?.number ?? 1, shift: args["shift"]?.text)
    case "paste": .paste(to: OrgPlace(args["to"], file: file), below: args["below"]?.isTrue ?? false)
    case "insert-heading": .insertHeading(try insertion(args), title: args["title"]?.text ?? "")
    case "toggle-heading": .toggleHeading
    case "datetree": .dateTree(day(args["date"]), text: args["text"]?.text ?? "")
    default: nil
    }
  }

  private static func capture(_ args: CallValue, _ file: String) -> OrgCapture {
    var capture = OrgCapture(
      key: args["key"]?.text ?? "", text: args["text"]?.text ?? "", initial: args["initial"]?.text)
    let link = args["link"]?.elements.compactMap(\.text) ?? []
    if let address = link.first { capture.link = (address, link.dropFirst().first ?? "") }
    capture.origin = args["at"].map { OrgPlace($0, file: file) }
    capture.clipboard = args["clip"]?.text
    capture.isAborted = args["abort"]?.isTrue ?? false
    return capture
  }

  private static func refile(_ args: CallValue) -> OrgRefile {
    OrgRefile(
      to: .named(args["create"]?.text ?? args["target"]?.text ?? ""), newChild: args["child"]?.text,
      isCopy: args["copy"]?.isTrue ?? false)
  }

  private static func archive(_ args: CallValue) throws(Refusal) -> OrgArchive {
    switch args["to"]?.text ?? "subtree" {
    case "subtree": return .subtree
    case "sibling": return .sibling
    case "tag": return .tag
    case "all": return .allDone
    case "old": return .allOld
    case let name: throw Refusal(.invalid, "Unknown \(name)")
    }
  }

  private static func sort(_ args: CallValue) -> OrgSort {
    OrgSort(
      by: args["by"]?.text?.first ?? "a", isCaseSensitive: args["case"]?.isTrue ?? false,
      property: args["property"]?.text)
  }

  private static func insertion(_ args: CallValue) throws(Refusal) -> OrgInsertion {
    switch args["where"]?.text ?? "after" {
    case "after": return .after
    case "before": return .before
    case "child": return .child
    case "last-child": return .lastChild
    case "todo": return .task
    case "first-todo": return .firstTask
    case let name: throw Refusal(.invalid, "Unknown \(name)")
    }
  }

  private static func moment(_ value: CallValue?) -> OrgMoment? {
    guard let text = value?.text else { return nil }
    return OrgTimestamp(text).map { OrgMoment($0) } ?? OrgMoment(text)
  }

  /// A date as month, day and year.
  private static func day(_ value: CallValue?) -> OrgDay {
    let numbers = value?.elements.compactMap(\.number) ?? []
    guard numbers.count == 3 else { return OrgDay(number: 0) }
    return OrgDay(year: numbers[2], month: numbers[0], day: numbers[1])
  }
}
