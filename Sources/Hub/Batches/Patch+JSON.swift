import OrgKit
import SyncKit

extension Patch {
  /// Reads a patch; appends the errors in it to `mistakes`.
  ///
  /// - Parameter now: the wall time as of which typed dates are read.
  init(_ value: JSON, at pointer: String, _ now: OrgMoment, _ mistakes: inout [Problem.Mistake]) {
    var reader = MemberReader(value, at: pointer)
    let name = reader.text("op", isRequired: true)
    operation = .edit
    if let name {
      if let known = Operation(rawValue: name) {
        operation = known
      } else {
        reader.mistake("op", "Expected one of \(Operation.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
    }
    let needsEntry = ![.add, .clockOut, .clockCancel].contains(operation)
    id = reader.text("id", isRequired: needsEntry, limit: 200) ?? ""
    // A device may say when the edit was made; the answer does not depend on it.
    _ = reader.text("at")
    readMembers(from: &reader, now)
    if reader.mistakes.isEmpty || name.flatMap(Operation.init) != nil { reader.refuseOthers() }
    mistakes += reader.mistakes
  }

  private mutating func readMembers(from reader: inout MemberReader, _ now: OrgMoment) {
    switch operation {
    case .edit:
      revision = reader.text("revision")
      readFields(from: &reader, isNew: false, now)
      if fields.isEmpty, properties.isEmpty, addedTags.isEmpty, removedTags.isEmpty {
        reader.mistake("fields", "At least one field is required.")
      }
    case .add:
      template = reader.text("template")
      if template == nil {
        target = reader.text("target", limit: 200)
        readFields(from: &reader, isNew: true, now)
        if fields[.title]?.new ?? "" == "" { reader.mistake("fields", "A new entry needs a title.") }
      } else {
        text = reader.text("text", limit: 1 << 18, isLine: false) ?? ""
        answers = reader.texts("answers")
        link = reader.value("link").map { Link($0, at: reader.pointer("link"), &reader) }
      }
    case .move, .copy: target = reader.text("to", isRequired: true, limit: 200)
    case .remove: revision = reader.text("revision", isRequired: true)
    case .check:
      text = reader.text("item", isRequired: true) ?? ""
      // What the device had says nothing more: the box is ticked or not.
      _ = reader.flag("old")
      isOn = reader.flag("new", isRequired: true) ?? true
    case .note: text = reader.text("text", isRequired: true, limit: 1 << 16, isLine: false) ?? ""
    case .archive, .clockIn, .clockOut, .clockCancel: break
    }
  }

  private mutating func readFields(from reader: inout MemberReader, isNew: Bool, _ now: OrgMoment) {
    guard let value = reader.value("fields") else { return reader.mistake("fields", "This member is required.") }
    var fields = MemberReader(value, at: reader.pointer("fields"))
    for field in Field.allCases {
      guard let value = fields.value(field.rawValue) else { continue }
      let change = Change(
        value, at: fields.pointer(field.rawValue), isText: field == .body, isNew || revision != nil, &fields)
      self.fields[field] = change
      if field.isDate { Self.check(date: change.new, at: fields.pointer(field.rawValue), now, &fields) }
    }
    if fields.value("title") != nil, self.fields[.title]?.new == nil {
      fields.mistake("title", "A title is a string.")
    }
    if let value = fields.value("tags") {
      var tags = MemberReader(value, at: fields.pointer("tags"))
      (addedTags, removedTags) = (tags.texts("add"), tags.texts("remove"))
      for tag in addedTags where !Self.isTag(tag) {
        tags.mistake("add", "\(tag) is not a tag: only letters, digits, _, @, # and % are allowed.")
      }
      tags.refuseOthers()
      fields.add(tags.mistakes)
    }
    if let value = fields.value("properties"), case .object(let members) = value {
      for member in members {
        let pointer = fields.pointer("properties") + "/" + member.name
        guard !member.name.isEmpty, !member.name.contains(where: { $0.isWhitespace || $0 == ":" }) else {
          fields.mistake("properties", "\(member.name) is not the name of a property.")
          continue
        }
        let change = Change(member.value, at: pointer, isText: false, isNew || revision != nil, &fields)
        properties[member.name] = change
        // Org keeps these two properties in the planning line.
        if Field(rawValue: member.name.lowercased())?.isDate ?? false {
          Self.check(date: change.new, at: pointer, now, &fields)
        }
      }
    }
    fields.refuseOthers()
    reader.add(fields.mistakes)
  }

  /// Records an error if the new value of a field is not a date.
  private static func check(
    date text: String?, at pointer: String, _ now: OrgMoment, _ fields: inout MemberReader
  ) {
    guard let text, !text.isEmpty, let mistake = DateText.mistake(in: text, at: now) else { return }
    fields.add([Problem.Mistake(pointer: pointer + "/new", detail: mistake)])
  }

  private static func isTag(_ text: String) -> Bool {
    text.allSatisfy { $0.isLetter || $0.isNumber || "_@#%".contains($0) }
  }
}

extension Patch.Change {
  /// - Parameter mayLackOld: true if the change depends on a revision, or on nothing.
  fileprivate init(
    _ value: JSON, at pointer: String, isText: Bool, _ mayLackOld: Bool, _ reader: inout MemberReader
  ) {
    var change = MemberReader(value, at: pointer)
    let limit = isText ? 1 << 19 : 1_000
    if change.value("new") == nil { change.mistake("new", "This member is required; null means none.") }
    new = change.text("new", limit: limit, isLine: !isText)
    let before = change.value("old")
    let known = change.text("old", limit: limit, isLine: false)
    old = before == nil ? nil : .some(known)
    if before == nil, !mayLackOld {
      change.mistake("old", "The value that you had is required, unless the patch has a revision.")
    }
    change.refuseOthers()
    reader.add(change.mistakes)
  }
}

extension Patch.Link {
  fileprivate init(_ value: JSON, at pointer: String, _ reader: inout MemberReader) {
    var link = MemberReader(value, at: pointer)
    url = link.text("url", isRequired: true, limit: 4_000) ?? ""
    title = link.text("title") ?? ""
    link.refuseOthers()
    reader.add(link.mistakes)
  }
}
