import OrgKit
import SyncKit

/// A question about the entries of a folder, as `syncd item apply` gets it: the name of a view with its arguments.
struct QueryCall {
  /// The names of the views and questions.
  static let verbs: Set<String> = [
    "agenda", "todo-list", "tags-view", "search-view", "stuck", "custom", "match", "tag-names", "habit", "link",
    "icalendar", "export-ics", "export",
  ]

  let verb: String
  let arguments: CallValue
  /// The file to which the call refers.
  let file: String
  /// The place of the entry to which the call refers.
  let place: OrgPlace

  init(_ call: CallFile.Call, _ place: OrgPlace) {
    (verb, arguments, self.place) = (call.verb, call.args ?? .null, place)
    file = place.file
  }

  /// Returns the answer, from the files and the context.
  func answer(in files: OrgFileSet, _ context: OrgContext) throws(Refusal) -> JSON {
    let folder = OrgFolder(files, context.settings)
    let agenda = OrgAgenda(
      folder.items, now: context.now, settings: context.settings, groups: folder.groups, states: folder.states,
      release: .org95,
      text: folder.text)
    do {
      return try answer(folder, agenda, context)
    } catch let error as OrgQueryError {
      throw Refusal(.invalid, "Match or query, \(error)")
    } catch let error as Refusal {
      throw error
    } catch {
      throw Refusal(.invalid, "\(error)")
    }
  }

  private func answer(_ folder: OrgFolder, _ agenda: OrgAgenda, _ context: OrgContext) throws -> JSON {
    switch verb {
    case "agenda": return rows(agenda.days(from: text("start").flatMap { OrgDay(iso: $0) }, span: span))
    case "todo-list": return rows(agenda.todoList(states: text("keywords")))
    case "tags-view": return rows(try agenda.matches(text("match") ?? "", onlyTasks: isOn("todo-only")))
    case "search-view": return rows(agenda.search(text("text") ?? "", onlyTasks: isOn("todo-only")))
    case "stuck": return rows(try agenda.stuck())
    case "custom":
      guard let view = try agenda.custom(text("key") ?? "") else {
        throw Refusal(.notFound, "There is not a view with the key \(text("key") ?? "")")
      }
      return rows(view)
    case "match": return try matches(folder, context)
    case "tag-names": return .array(folder.tagNames(of: file).map(JSON.string))
    case "habit": return try habit(folder)
    case "link":
      let abbreviations = folder.document(file)?.linkAbbreviations ?? [:]
      let target = try folder.target(of: OrgLink(text("link") ?? "", abbreviations: abbreviations), from: file)
      return ["file": .string(target.file), "line": .integer(target.line), "text": .string(target.text)]
    case "export-ics", "icalendar": return .string(calendar(folder, context))
    case "export": return .string(try shared(folder))
    default: throw Refusal(.invalid, "The question \(verb) is unknown")
    }
  }

  private func text(_ name: String) -> String? { arguments[name]?.text }

  private func isOn(_ name: String) -> Bool { arguments[name]?.isTrue ?? false }

  private var span: OrgAgendaSpan? { (arguments["span"]?.lisp).flatMap { OrgAgendaSpan($0) } }

  private func rows(_ rows: [OrgAgendaRow]) -> JSON {
    .array(rows.map { $0.json(withText: isOn("rendered"), release: .org95) })
  }

  private func matches(_ folder: OrgFolder, _ context: OrgContext) throws -> JSON {
    let matcher = try text("match").map { try OrgMatcher($0, groups: folder.groups, now: context.now) }
    let items = folder.items.joined().filter { !isOn("file") || $0.file == file }
    return .array(items.filter { matcher?.selects($0) ?? true }.map { $0.place() })
  }

  /// The calendar of the entry's file, of its subtree, or of all files.
  private func calendar(_ folder: OrgFolder, _ context: OrgContext) -> String {
    let export = CalendarExport(context.settings, now: context.now, zone: context.zone) { _ in context.newID() }
    let isAll = verb == "icalendar"
    let items = folder.items.filter { isAll || $0.first?.file == file }.flatMap(\.self)
    let title = folder.document(file)?.settings("TITLE").first ?? String(file.dropLast(4))
    if isOn("body-only") {
      return export.components(items, text: folder.body).map { $0 + "\r\n" }.joined()
    }
    return export.calendar(
      items, name: isAll ? "OrgMode" : String(file.dropLast(4)),
      owner: folder.document(file)?.settings("AUTHOR").first ?? context.userName,
      description: isAll ? "" : title, text: folder.body)
  }

  private func shared(_ folder: OrgFolder) throws(Refusal) -> String {
    let formats: [String: OrgShare.Format] = ["ascii": .text, "md": .markdown, "html": .html, "org": .org]
    let name = text("backend") ?? ""
    guard let format = formats[name] else {
      throw Refusal(.invalid, "unknown format \(name); use ascii, md, html or org")
    }
    guard let item = folder.item(at: place), let entry = folder.document(item.file)?.entry(atLine: item.line) else {
      throw Refusal(.notFound, "no entry at this place")
    }
    return OrgShare(as: format).text(of: entry)
  }

  private func habit(_ folder: OrgFolder) throws(Refusal) -> JSON {
    guard let item = folder.item(at: place), let habit = OrgHabit(item) else {
      throw Refusal(.notFound, "The entry is not a habit: it needs STYLE habit and a scheduled date with a repeater")
    }
    var json: JSON = ["scheduled": .string(habit.scheduled.iso), "repeat": .integer(habit.interval)]
    json["deadline"] = habit.deadline.map { .string($0.iso) }
    json["deadline_repeat"] = habit.longestInterval.map(JSON.integer)
    json["done"] = .array(habit.done.reversed().map { .string($0.iso) })
    json["kind"] = .string(habit.kind)
    return json
  }
}

extension CallValue {
  /// The same value.
  init(_ json: JSON) {
    self =
      switch json {
      case .null: .null
      case .boolean(let flag): .flag(flag)
      case .integer(let number): .number(number)
      case .number(let number): .fraction(number)
      case .string(let text): .text(text)
      case .array(let elements): .list(elements.map { CallValue($0) })
      case .object(let members):
        .object(Dictionary(members.map { ($0.name, CallValue($0.value)) }) { $1 })
      }
  }
}
