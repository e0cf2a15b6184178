internal import CExpat

/// Receives the events of an XML document while it is parsed.
package protocol XMLHandler: AnyObject {
  /// An element begins. The name has no prefix, and is empty for elements outside of the reader's namespace.
  func begin(_ name: String)
  func text(_ bytes: [UInt8])
  func end()
}

/// Parses an XML document incrementally with expat.
///
/// Document type declarations are rejected, so there are no entities except XML's own five, and a document cannot expand.
@safe package final class XMLReader {
  private let handler: any XMLHandler
  /// The namespace of the elements; nil for any or none.
  private let namespace: String?
  private let parser: OpaquePointer
  private var depth = 0

  /// The maximum nesting of elements, far above that of any server's answer.
  private static let deepest = 256

  /// - Parameter namespace: The namespace whose elements are reported by name; nil for all elements.
  package init(_ handler: any XMLHandler, namespace: String? = nil) {
    self.handler = handler
    self.namespace = namespace.map { $0 + " " }
    // A name cannot contain a space, so it separates the namespace from the name.
    guard let parser = unsafe XML_ParserCreateNS(nil, CChar(UInt8(ascii: " "))) else {
      preconditionFailure("no memory to read an XML document")
    }
    unsafe self.parser = unsafe parser
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    setCalls()
  }

  deinit { unsafe XML_ParserFree(parser) }

  /// Parses the next bytes. Returns false once the document is not well-formed.
  package func read(_ bytes: [UInt8]) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      return unsafe XML_Parse(parser, start, CInt(bytes.count), 0) == XML_STATUS_OK
    }
  }

  /// Returns true if the document is complete and well-formed.
  package func finish() -> Bool { unsafe XML_Parse(parser, nil, 0, 1) == XML_STATUS_OK }

  private func setCalls() {
    unsafe XML_SetElementHandler(
      parser,
      { reader, name, _ in
        guard let name = unsafe name else { return }
        unsafe XMLReader.at(reader).begin(String(cString: name))
      },
      { reader, _ in unsafe XMLReader.at(reader).end() })
    unsafe XML_SetCharacterDataHandler(parser) { reader, text, count in
      let bytes = unsafe UnsafeRawBufferPointer(start: text, count: Int(count))
      unsafe XMLReader.at(reader).handler.text(Array(bytes))
    }
    unsafe XML_SetStartDoctypeDeclHandler(parser) { reader, _, _, _, _ in unsafe XMLReader.at(reader).stop() }
  }

  private func begin(_ name: String) {
    depth += 1
    if depth > Self.deepest { stop() }
    handler.begin(localName(name))
  }

  private func localName(_ name: String) -> String {
    guard let namespace else { return name.split(separator: " ").last.map(String.init) ?? "" }
    return name.hasPrefix(namespace) ? String(name.dropFirst(namespace.count)) : ""
  }

  private func end() {
    depth -= 1
    handler.end()
  }

  /// Stops parsing: the document counts as malformed.
  private func stop() { unsafe XML_StopParser(parser, 0) }

  private static func at(_ reader: UnsafeMutableRawPointer?) -> XMLReader {
    guard let reader = unsafe reader else { preconditionFailure("expat has lost the reader of a document") }
    return unsafe Unmanaged<XMLReader>.fromOpaque(reader).takeUnretainedValue()
  }
}
