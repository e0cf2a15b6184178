extension OrgEditor {
  /// Returns the value of a property of the entry itself; nil for `nil` and for an empty value.
  mutating func localProperty(_ key: String, _ heading: Int?) -> String? {
    let values = localValues(key, heading)
    guard let value = [values.main].compactMap(\.self) + values.further as [String]?, !value.isEmpty else { return nil }
    let joined = value.joined(separator: " ")
    return joined == "nil" ? nil : joined
  }

  /// The values of `KEY` and of `KEY+` in a drawer.
  private func localValues(_ key: String, _ heading: Int?) -> (main: String?, further: [String]) {
    let name = Array(key.lowercased().utf8)
    let properties = buffer.properties(heading).filter { !$0.value.isEmpty }
    let main = properties.first { $0.key.lowercased == name }?.value.string
    let further = properties.filter { $0.key.lowercased == name + [UInt8(ascii: "+")] }.map(\.value.string)
    return (main, further)
  }

  /// Returns the value of a property with those of parents and of the file, also if it is `nil`.
  mutating func inheritedProperty(_ key: String, _ heading: Int?) -> String? {
    inheritedPropertyWithOwner(key, heading).value
  }

  /// Returns also the entry that has the property.
  mutating func inheritedPropertyWithOwner(_ key: String, _ heading: Int?) -> (value: String?, owner: Int?) {
    var collected: [String] = []
    var entry = heading
    while true {
      let values = localValues(key, entry)
      collected = [values.main].compactMap(\.self) + values.further + collected
      if values.main != nil { return (collected.joined(separator: " "), entry) }
      guard let current = entry else { break }
      entry = buffer.parent(current)
    }
    let all = [options.property(key)].compactMap(\.self) + collected
    return (all.isEmpty ? nil : all.joined(separator: " "), nil)
  }

  // MARK: Changing

  /// Sets a property in the drawer, which is made if missing.
  mutating func putProperty(_ key: String, _ value: String, _ heading: Int?) {
    let drawer = buffer.propertyDrawer(heading) ?? insertPropertyDrawer(heading)
    var position = drawer.contents.lowerBound
    let name = Array(key.lowercased().utf8)
    while position < drawer.contents.upperBound {
      let line = buffer.line(position)
      if let property = PropertyDrawer.Property(line), property.key.lowercased == name, !property.value.isEmpty {
        break
      }
      position = buffer.lineEnd(position) + 1
    }
    let above = buffer.line(buffer.previousLine(position)).indentation.string
    let padding = String(repeating: " ", count: max(0, 8 - key.count))
    let text = value.isEmpty ? "\(above):\(key):" : "\(above):\(key):\(padding) \(value)"
    if position < drawer.contents.upperBound {
      buffer.replace(position..<buffer.lineEnd(position), with: text)
    } else {
      buffer.insert(text + "\n", at: position)
    }
  }

  private mutating func insertPropertyDrawer(_ heading: Int?) -> OrgBuffer.PropertyBlock {
    var position = heading.map(buffer.planningEnd) ?? fileDrawerPlace
    if position > 0, !buffer.isLineStart(position) {
      buffer.insert("\n", at: position)
      position += 1
    }
    let indentation = String(repeating: " ", count: heading == nil ? 0 : firstLineIndentation(at: position))
    let lines = ["\(indentation):PROPERTIES:\n", "\(indentation):END:\n"]
    buffer.insert(lines.joined(), at: position)
    let contents = position + lines[0].utf8.count
    return OrgBuffer.PropertyBlock(
      start: position, contents: contents..<contents, end: contents + lines[1].utf8.count)
  }

  /// The drawer of a file goes below its first comments.
  private var fileDrawerPlace: Int {
    var position = 0
    while position < buffer.count {
      let line = buffer.line(position)
      guard line.first == UInt8(ascii: "#"), line.count == 1 || line[line.startIndex + 1] == .space else { break }
      position = buffer.nextLine(position)
    }
    return position
  }

  /// Removes a property and its further values, and the drawer with the last one.
  mutating func deleteProperty(_ key: String, _ heading: Int?) {
    guard let drawer = buffer.propertyDrawer(heading) else { return }
    let name = Array(key.lowercased().utf8)
    let kept = buffer.text[drawer.contents].lines.filter { line in
      guard let found = PropertyDrawer.Property(line)?.key.lowercased else { return true }
      return found != name && found != name + [UInt8(ascii: "+")]
    }
    if kept.isEmpty {
      buffer.delete(drawer.start..<drawer.end)
    } else {
      buffer.replace(drawer.contents, with: kept.flatMap { Array($0) + [.newline] })
    }
  }

  // MARK: Verbs

  /// Changes a property of the entry, or of the file.
  mutating func changeProperty(_ change: OrgPropertyChange) throws(Refusal) {
    switch change {
    case .set(let key, let value): try setProperty(key, value)
    case .delete(let key): deleteProperty(key, heading)
    case .append(let key, let value):
      let values = values(of: key)
      let new = Self.protected(value)
      if !values.contains(new) { try setProperty(key, (values + [new]).joined(separator: " ")) }
    case .drop(let key, let value):
      let values = values(of: key)
      let old = Self.protected(value)
      if values.contains(old) { try setProperty(key, values.filter { $0 != old }.joined(separator: " ")) }
    case .effort(let value):
      guard OrgDuration.minutes(value) != nil else {
        throw Refusal(.invalid, "\(value) is not a duration, such as 0:30 or 2h")
      }
      let key = self.value("org-effort-property", default: "Effort").text ?? "Effort"
      if localProperty(key, heading) != value { try setProperty(key, value) }
    }
  }

  private mutating func values(of key: String) -> [String] {
    (localProperty(key, heading) ?? "").split(separator: " ").map(String.init)
  }

  /// Escapes blanks in a value of a property with several values.
  private static func protected(_ value: String) -> String {
    value.map { $0 == " " ? "%20" : $0 == "\n" ? "%0A" : $0 == "\t" ? "%09" : $0 == "%" ? "%25" : String($0) }.joined()
  }

  private mutating func setProperty(_ key: String, _ value: String) throws(Refusal) {
    switch key {
    case "TODO":
      try changeState(.state(value))
      alignTags(try entry())
    case "PRIORITY":
      try changePriority(.set(String(value.prefix(1))))
    case "SCHEDULED", "DEADLINE": try setDateProperty(key == "DEADLINE" ? .deadline : .scheduled, value)
    case "CLOSED", "ITEM", "TAGS", "ALLTAGS", "TIMESTAMP", "TIMESTAMP_IA", "CLOCKSUM", "CLOCKSUM_T", "BLOCKED", "FILE":
      throw Refusal(.invalid, "the \(key) property cannot be set")
    default:
      guard !key.isEmpty, !key.contains(where: \.isWhitespace) else {
        throw Refusal(.invalid, "\(key) is not a name of a property")
      }
      guard !value.contains(where: \.isNewline) else { throw Refusal(.invalid, "a property has one line") }
      putProperty(key, value, heading)
    }
  }

  private mutating func setDateProperty(_ kind: Planning.Kind, _ value: String) throws(Refusal) {
    switch value {
    case "": try changeDate(kind, .remove)
    case "earlier", "later":
      let heading = try entry()
      guard let line = buffer.planningLine(heading), let item = Self.planningItem(kind, in: buffer.line(line)),
        let stamp = buffer.text[item].firstTimestamp(isActive: true)
      else { return try changeDate(kind, .set(nil)) }
      let shift = TimestampShift(amount: value == "later" ? 1 : -1, unit: .day, zone: context.zone)
      buffer.replace(stamp.startIndex..<stamp.endIndex, with: shift.apply(to: stamp) ?? stamp.string)
    default: try changeDate(kind, .set(value))
    }
  }

  /// Gives the entry an ID unless it has one.
  mutating func createID() throws(Refusal) {
    if localProperty("ID", heading) == nil { putProperty("ID", context.newID(), heading) }
  }

  /// Adds or removes the property `ORDERED`, and its tag if wanted.
  mutating func toggleOrdered() throws(Refusal) {
    let heading = try entry()
    let isOrdered = localProperty("ORDERED", heading) != nil
    if isOrdered { deleteProperty("ORDERED", heading) } else { putProperty("ORDERED", "t", heading) }
    let setting = value("org-track-ordered-property-with-tag")
    if setting.isTrue { toggleTag(setting.text ?? "ORDERED", to: !isOrdered, heading) }
  }
}
