extension OrgEntry {
  /// The property `ID`.
  public var id: String? { self[property: "ID"] }

  /// The property `CUSTOM_ID`.
  public var customID: String? { self[property: "CUSTOM_ID"] }

  /// The value of a property; the key's case is ignored.
  public subscript(property key: String) -> String? { property(key)?.value.string }

  /// Changes a property; the key's case is ignored. Nil removes it, and with the last one the drawer. Outer white space of the
  /// value is removed.
  public mutating func setProperty(_ key: String, to value: String?) throws(OrgEditError) {
    let field = OrgEditError.Field.property(key)
    guard key.isPropertyKey else { throw OrgEditError(field: field, value: value, reason: .notAKey) }
    let new = try value.map { value throws(OrgEditError) in try value.value(of: field) }
    try change(field, to: value, set: { $0.set(key, new) }, write: { $0.write(key, new) })
  }

  private mutating func write(_ key: String, _ value: [UInt8]?) {
    switch (property(key), value) {
    case (.some(let old), .some(let new)): replace(old, with: new)
    case (.some(let old), .none): remove(old)
    case (.none, .some(let new)): add(key, new)
    case (.none, .none): break
    }
  }

  private func property(_ key: String) -> PropertyDrawer.Property? {
    let key = Array(key.utf8)[...].lowercased
    return drawer?.properties.first { $0.key.lowercased == key }
  }

  private mutating func replace(_ old: PropertyDrawer.Property, with value: [UInt8]) {
    let isEmpty = old.value.isEmpty
    let start = isEmpty ? old.line.trimmedRight.endIndex : old.value.startIndex
    document.replace(start..<(isEmpty ? start : old.value.endIndex), with: (isEmpty ? [.space] : []) + value)
  }

  private mutating func remove(_ old: PropertyDrawer.Property) {
    guard let drawer else { return }
    if drawer.properties.count > 1 {
      document.remove(line: old.line)
    } else {
      for line in drawer.lines.reversed() { document.remove(line: line) }
    }
  }

  /// Appends a line to the drawer, or creates the drawer below headline and planning line.
  private mutating func add(_ key: String, _ value: [UInt8]) {
    // Org's format: the key in ten columns, then the value.
    let padding = String(repeating: " ", count: max(1, 10 - key.utf8.count - 1))
    let line = Array(":\(key):\(padding)".utf8) + value
    if let drawer, let end = drawer.lines.last {
      document.insert(lines: [Array(end.indentation) + line], at: end.startIndex)
    } else {
      let indentation = Array(planningLine?.line.indentation ?? [])
      let lines = [Array(":PROPERTIES:".utf8), line, Array(":END:".utf8)].map { indentation + $0 }
      document.insert(lines: lines, at: headEnd)
    }
  }

  /// The position after the planning line, if there is one.
  private var headEnd: Int {
    let node = document.outline.nodes[index.node]
    guard let line = planningLine?.line else { return sectionStart }
    return min(line.endIndex + 1, node.end)
  }
}

extension EditedFields {
  fileprivate mutating func set(_ key: String, _ value: [UInt8]?) {
    let lowercased = Array(key.utf8)[...].lowercased
    let index = properties.firstIndex { $0[0][...].lowercased == lowercased }
    switch (index, value) {
    case (.some(let index), .some(let value)): properties[index][1] = value
    case (.some(let index), .none): properties.remove(at: index)
    case (.none, .some(let value)): properties.append([Array(key.utf8), value])
    case (.none, .none): break
    }
  }
}

extension String {
  fileprivate var isPropertyKey: Bool {
    !isEmpty && unicodeScalars.allSatisfy { !$0.properties.isWhitespace && $0.properties.generalCategory != .control }
      && !Array(utf8).equals(ignoringCase: "end")
  }
}
