extension OrgEditor {
  /// Refuses a change to a done state while open children, earlier siblings or boxes block it.
  func refuseIfBlocked(_ heading: Int, from old: String?, to new: String?) throws(Refusal) {
    var editor = self
    guard let new, editor.options.states.isDone(new), !editor.options.states.isDone(old),
      editor.localProperty("NOBLOCKING", heading) == nil
    else { return }
    guard let reason = editor.blockingReason(heading) else { return }
    throw Refusal(.blocked, "TODO state change from \(old ?? "nil") to \(new) blocked (by \(reason))")
  }

  private mutating func blockingReason(_ heading: Int) -> String? {
    if isOn("org-enforce-todo-checkbox-dependencies"), hasOpenBox(heading) { return "contained checkboxes" }
    guard isOn("org-enforce-todo-dependencies") else { return nil }
    if let child = buffer.headings(in: heading..<buffer.subtreeEnd(heading)).dropFirst().first(where: isOpenTask) {
      return "\"\(keyword(child) ?? "") \(title(child))\""
    }
    return olderSibling(heading).map { "\"\(buffer.line($0).string)\"" }
  }

  private func isOpenTask(_ heading: Int) -> Bool {
    var editor = self
    return editor.options.states.isOpen(editor.keyword(heading))
  }

  /// Returns an open task that comes before the entry, or before a parent that is a task, below `ORDERED`.
  private mutating func olderSibling(_ heading: Int) -> Int? {
    var entry = heading
    while let parent = buffer.parent(entry) {
      if entry != heading, !isOpenTask(entry) { return nil }
      if localProperty("ORDERED", parent) != nil,
        let older = buffer.headings(in: buffer.nextLine(parent)..<entry).first(where: isOpenTask)
      {
        return older
      }
      entry = parent
    }
    return nil
  }

  private func hasOpenBox(_ heading: Int) -> Bool {
    buffer.text[buffer.nextLine(heading)..<max(buffer.nextLine(heading), buffer.nextHeading(heading))].lines.contains {
      let box = ListMarker(anyBullet: $0)?.box
      return box == .space || box == UInt8(ascii: "-")
    }
  }
}
