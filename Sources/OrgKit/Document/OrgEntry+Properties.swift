extension OrgEntry {
  /// The property `ID`.
  public var id: String? { self[property: "ID"] }

  /// The property `CUSTOM_ID`.
  public var customID: String? { self[property: "CUSTOM_ID"] }

  /// The value of a property, case of the key ignored; setting nil removes it, and with the last one the drawer.
  public subscript(property key: String) -> String? {
    get { property(key)?.value.string }
    set {
      let value = newValue.map { Array($0.utf8.map { $0 == .newline || $0 == .carriageReturn ? .space : $0 }) }
      switch (property(key), value) {
      case (.some(let old), .some(let new)) where old.value.elementsEqual(new): break
      case (.some(let old), .some(let new)): replace(old, with: new)
      case (.some(let old), .none): remove(old)
      case (.none, .some(let new)): add(key, new)
      case (.none, .none): break
      }
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

  /// Adds a line at the end of the drawer, or the drawer below headline and planning line.
  private mutating func add(_ key: String, _ value: [UInt8]) {
    // As Org writes it: the key in ten columns, then the value.
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

  /// Behind the planning line, if there is one.
  private var headEnd: Int {
    let node = document.outline.nodes[index.node]
    guard let line = planningLine?.line else { return sectionStart }
    return min(line.endIndex + 1, node.end)
  }
}
