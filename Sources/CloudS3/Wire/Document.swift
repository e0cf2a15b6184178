internal import ExpatXML

/// An XML answer: the values directly below its root, and those of each element `Contents`.
struct Document: Sendable {
  var root = ""
  var fields: [String: [UInt8]] = [:]
  var contents: [[String: [UInt8]]] = []

  /// Returns the text of a field; nil if the document has none.
  func text(_ name: String) -> String? { fields[name].map { String(decoding: $0, as: UTF8.self) } }

  /// Parses a document; nil if it is not well-formed.
  init?(_ bytes: [UInt8]) {
    let handler = Handler()
    let reader = XMLReader(handler)
    guard reader.read(bytes), reader.finish(), !handler.isTooLarge else { return nil }
    self = handler.document
  }

  private init() {}

  private final class Handler: XMLHandler {
    var document = Document()
    var isTooLarge = false
    private var stack: [String] = []
    private var text: [UInt8] = []
    private var content: [String: [UInt8]] = [:]

    /// The maximum length of a value: an encoded key has at most three times its bytes.
    private static let longestText = 3 * Bucket.longestKey + 1_024

    func begin(_ name: String) {
      if stack.isEmpty { document.root = name }
      stack.append(name)
      text = []
      if stack.count == 2, name == "Contents" { content = [:] }
    }

    func text(_ bytes: [UInt8]) {
      text += bytes
      if text.count > Self.longestText { isTooLarge = true }
    }

    func end() {
      guard let name = stack.popLast() else { return }
      if stack.count == 1 {
        if name == "Contents" { document.contents.append(content) } else { document.fields[name] = text }
      } else if stack.count == 2, stack[1] == "Contents" {
        content[name] = text
      }
      text = []
    }
  }
}
