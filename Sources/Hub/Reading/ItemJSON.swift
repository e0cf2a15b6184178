import OrgKit
import SyncKit

extension HubFile {
  /// An entry for a device, without its text.
  func json(_ place: Int) -> JSON {
    let item = items[place]
    let text = { (text: String?) in text.map(JSON.string) ?? .null }
    return [
      "id": .string(ids[place]), "file": .string(path), "fileId": .string(ItemID.file(path)),
      "line": .integer(item.line), "path": .array(item.path.map(JSON.string)), "title": .string(item.title),
      "level": .integer(item.level),
      "todo": text(item.keyword), "done": .boolean(item.isDone), "priority": text(item.priority),
      "tags": .array(item.tags.map(JSON.string)),
      "inheritedTags": .array(item.allTags.filter { !item.tags.contains($0) }.map(JSON.string)),
      "category": .string(item.category), "scheduled": text(item.scheduled?.timestamp?.description),
      "deadline": text(item.deadline?.timestamp?.description), "closed": text(item.closed?.description),
      "timestamps": .array(item.timestamps.map { .string($0.description) }),
      "properties": .array(
        item.properties.map { ["key": .string($0.key), "value": .string($0.value)] }),
      "clock": item.log.first(where: \.isRunningClock).map { ["running": .string($0.time.description)] } ?? .null,
      "habit": .boolean(item.isHabit), "archived": .boolean(item.isArchived), "revision": .string(revision(place)),
    ]
  }

  /// An entry for a device, with its text.
  func whole(_ place: Int) -> JSON {
    var json = json(place)
    json.add(["body": .string(body(place)), "checkboxes": .array(Checkbox.all(in: body(place)).map(\.json))])
    return json
  }

  /// An entry for a device, with its text and its children.
  func detail(_ place: Int) -> JSON {
    let entry = document.entries[place]
    var json = whole(place)
    json.add([
      "section": .string(String(decoding: entry.content, as: UTF8.self)),
      "subtreeRevision": .string(subtreeRevision(place)),
      "parent": entry.parent.map { .string(ids[$0.place]) } ?? .null,
      "children": .array(entry.children.map { self.json($0.place) }),
    ])
    return json
  }

  /// The file for its outline.
  var summary: JSON {
    var json = Self.summary(path: path, entries: items.count, open: items.count(where: \.isOpenTask))
    json["digest"] = .string(digest.description)
    return json
  }

  /// A file for a list.
  static func summary(path: String, entries: Int, open: Int) -> JSON {
    ["id": .string(ItemID.file(path)), "path": .string(path), "entries": .integer(entries), "open": .integer(open)]
  }
}

/// A checkbox of a list item in the text of an entry.
struct Checkbox: Hashable {
  /// The text of the item behind the box.
  var text: String
  /// ` `, `X` or `-`.
  var mark: Character

  var isOn: Bool { mark == "X" || mark == "x" }

  var json: JSON {
    ["text": .string(text), "state": isOn ? "on" : mark == "-" ? "partial" : "off"]
  }

  /// Returns the checkboxes of a text in order.
  static func all(in text: String) -> [Checkbox] {
    text.split(separator: "\n").compactMap { line in
      var rest = line.drop { $0 == " " || $0 == "\t" }
      let isIndented = rest.startIndex > line.startIndex
      let digits = rest.prefix(while: \.isNumber)
      if !digits.isEmpty {
        rest = rest.dropFirst(digits.count)
        guard let first = rest.first, ".)".contains(first) else { return nil }
      } else {
        guard let first = rest.first, "-+".contains(first) || first == "*" && isIndented else { return nil }
      }
      rest = rest.dropFirst().drop { $0 == " " }
      if rest.hasPrefix("[@"), let end = rest.firstIndex(of: "]") {
        rest = rest[rest.index(after: end)...].drop { $0 == " " }
      }
      guard rest.first == "[", rest.dropFirst(2).first == "]", let mark = rest.dropFirst().first,
        " Xx-".contains(mark)
      else { return nil }
      return Checkbox(text: String(rest.dropFirst(3).drop { $0 == " " }), mark: mark)
    }
  }
}
