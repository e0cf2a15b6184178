/// The values of a template's escapes that come from the place and the link of a capture.
struct CaptureWords {
  /// A link to what the user came from, with its description.
  let annotation: String
  let initial: String
  let clipboard: String
  let file: String
  let path: String
  let clockedTask: String
  let clockedLink: String
  /// The values of `%:keyword`.
  let keywords: [String: String]

  init(_ capture: OrgCapture, _ editor: inout OrgEditor) throws(Refusal) {
    var (annotation, file, path) = ("", "", "")
    if let origin = capture.origin {
      try editor.visit(origin)
      file = editor.buffer.path.split(separator: "/").last.map(String.init) ?? ""
      path = editor.files.absolute(editor.buffer.path)
      annotation = editor.storedLink()
    }
    if let link = capture.link { annotation = Self.link(link.address, link.description) }
    (self.annotation, self.file, self.path) = (annotation, file, path)
    initial = capture.initial ?? ""
    clipboard = capture.clipboard ?? ""
    let clock = try editor.clockedTask()
    (clockedTask, clockedLink) = (clock?.title ?? "", clock?.link ?? "")
    var keywords = ["annotation": annotation, "initial": initial]
    if let link = capture.link {
      keywords["link"] = link.address
      keywords["description"] = link.description
      keywords["type"] = String(link.address.prefix { $0 != ":" })
    }
    self.keywords = keywords
  }

  /// Returns a link in brackets.
  static func link(_ address: String, _ description: String) -> String {
    let escaped = address.replacing("[", with: "%5B").replacing("]", with: "%5D")
    guard !description.isEmpty else { return "[[\(escaped)]]" }
    let text = description.replacing("]]", with: "]\u{200B}]")
    return "[[\(escaped)][\(text)]]"
  }
}

extension OrgEditor {
  /// Returns the link that `org-store-link` makes for the current entry.
  fileprivate mutating func storedLink() -> String {
    let path = files.abbreviated(files.absolute(buffer.path))
    guard let heading else { return CaptureWords.link("file:\(path)", "") }
    let title = OutlineTitle.text(title(heading))
    if let id = localProperty("CUSTOM_ID", heading) { return CaptureWords.link("file:\(path)::#\(id)", title) }
    return CaptureWords.link("file:\(path)::*\(title)", title)
  }

  /// Returns the title of the entry with the running clock, and a link to it.
  fileprivate mutating func clockedTask() throws(Refusal) -> (title: String, link: String)? {
    var editor = self
    guard try editor.findRunningClock(), let heading = editor.heading else { return nil }
    let title = editor.title(heading)
    return (title, CaptureWords.link("\(files.absolute(editor.buffer.path))::*\(title)", title))
  }
}
