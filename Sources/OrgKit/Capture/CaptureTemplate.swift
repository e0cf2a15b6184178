/// A capture template of `org-capture-templates`.
struct CaptureTemplate {
  /// What a template adds.
  enum Kind: String {
    case entry, item, checkitem, plain
    case table = "table-line"
  }

  let key: String
  let kind: Kind
  let target: [OrgValue]
  let text: String
  private let options: OrgValue

  /// Finds the template of a key.
  init(key: String, in settings: OrgSettings, _ files: inout OrgFileSet) throws(Refusal) {
    let templates = settings.value("org-capture-templates").elements ?? []
    guard let found = templates.compactMap(\.elements).first(where: { $0.first?.text == key && $0.count > 3 }) else {
      throw Refusal(.notFound, "no capture template has the key \(key)")
    }
    self.key = key
    let name = found[2].symbol ?? "entry"
    guard let kind = Kind(rawValue: name) else {
      throw Refusal(.invalid, "the template \(key) has the unknown type \(name)")
    }
    self.kind = kind
    target = found[3].elements ?? []
    text = try Self.text(found.count > 4 ? found[4] : .none, kind, &files)
    options = found.count > 5 ? .list(Array(found[5...])) : .none
  }

  private static func text(_ value: OrgValue, _ kind: Kind, _ files: inout OrgFileSet) throws(Refusal) -> String {
    switch value {
    case .text(let text): return text
    case .none:
      switch kind {
      case .item: return "- %?"
      case .checkitem: return "- [ ] %?"
      case .table: return "| %? |"
      case .entry, .plain: return "* %?\n  %a"
      }
    default:
      guard let parts = value.elements, parts.count == 2, parts[0].symbol == "file", let path = parts[1].text else {
        throw Refusal(.needsEmacs, "the template is a Lisp function; only Emacs can call it")
      }
      guard let name = files.relative(path), let content = files[name] else {
        throw Refusal(.notFound, "template file \(path) not found")
      }
      return content.string
    }
  }

  /// Returns the value of an option such as `:prepend`.
  func option(_ name: String) -> OrgValue { options.member(name) ?? .none }

  /// Returns the number of empty lines before or after what is added.
  func emptyLines(_ side: String) -> Int { option(":empty-lines-\(side)").number ?? option(":empty-lines").number ?? 0 }

  var isPrepended: Bool { option(":prepend").isTrue }
}
