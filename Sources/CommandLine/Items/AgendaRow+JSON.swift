import OrgKit
import SyncKit

extension OrgAgendaRow {
  /// The row as JSON. Members without a value are left out.
  ///
  /// - Parameters:
  ///   - withText: true to add the text of entries; other rows always have theirs.
  ///   - release: the version of Org; 9.5 calls the urgency `priority`.
  func json(withText: Bool = true, release: OrgRelease = .org97) -> JSON {
    var json: JSON = [:]
    if kind == .day { json["day"] = date.map { .string($0.iso) } }
    if kind == .header || kind == .day { json["header"] = .string(AgendaLine.text(of: self)) }
    if kind == .grid { json["grid"] = time.map { .string($0.description) } }
    if isEntry { addFields(to: &json, release) }
    if withText || !isEntry { json["text"] = .string(AgendaLine.text(of: self)) }
    return json
  }

  private func addFields(to json: inout JSON, _ release: OrgRelease) {
    json["type"] = .string(kind.rawValue)
    json["date"] = date.map { .string($0.iso) }
    json["ts_date"] = timestampDate.map { .string($0.iso) }
    json["time"] = time.map { .string($0.description) }
    json["duration"] = duration.map(JSON.integer)
    json["todo"] = todo.map(JSON.string)
    json["priority"] = (release == .org95 ? urgency : importance).map(JSON.integer)
    if release == .org97 { json["urgency"] = urgency.map(JSON.integer) }
    json["extra"] = extra.isEmpty ? nil : .string(extra)
    json["category"] = item.map { .string($0.category) }
    json["tags"] = tags.isEmpty ? nil : .array(tags.map(JSON.string))
    json["at"] = item?.place(line: line)
    json["habit"] = habit.map { [.string($0.marks), .string($0.colours)] }
  }
}

extension OrgItem {
  /// The place of the entry as JSON: file, line, outline path and ID.
  func place(line: Int? = nil) -> JSON {
    var json: JSON = [
      "file": .string(file), "line": .integer(line ?? self.line), "path": .array(outlinePath.map(JSON.string)),
    ]
    json["id"] = id.map(JSON.string)
    return json
  }
}
