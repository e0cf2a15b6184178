internal import CXML

/// What is told of an XML document while it is read.
protocol XMLHandler: AnyObject {
  /// An element begins; the name stands without a prefix, and is empty for elements outside of the namespace `DAV:`.
  func begin(_ name: String)
  func text(_ bytes: [UInt8])
  func end()
}

/// Reads an XML document piece by piece, by libxml2's push parser.
///
/// No document type declaration is read, so there are no entities but XML's own five, and a document cannot grow. Depth
/// is bounded by libxml2.
@safe final class XMLReader {
  private let handler: any XMLHandler
  private var context: UnsafeMutablePointer<xmlParserCtxt>?
  private var hasDocumentType = false

  init(_ handler: any XMLHandler) {
    self.handler = handler
    xmlInitParser()
    var calls = unsafe Self.calls
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe context = unsafe xmlCreatePushParserCtxt(&calls, me, nil, 0, nil)
    unsafe xmlCtxtUseOptions(context, CInt(XML_PARSE_NONET.rawValue))
  }

  deinit { unsafe xmlFreeParserCtxt(context) }

  /// Reads the next bytes; false as soon as they are no part of a well-formed document.
  func read(_ bytes: [UInt8]) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      return unsafe xmlParseChunk(context, start, CInt(bytes.count), 0) == 0
    } && !hasDocumentType
  }

  /// Whether the document is complete and well-formed.
  func finish() -> Bool {
    let code = unsafe xmlParseChunk(context, nil, 0, 1)
    return unsafe code == 0 && !hasDocumentType && context?.pointee.wellFormed == 1
  }

  private static var calls: xmlSAXHandler {
    var calls = unsafe xmlSAXHandler()
    unsafe calls.initialized = xml_sax2_mark()
    unsafe calls.startElementNs = { reader, name, _, namespace, _, _, _, _, _ in
      unsafe XMLReader.at(reader).handler.begin(XMLReader.name(name, namespace))
    }
    unsafe calls.endElementNs = { reader, _, _, _ in unsafe XMLReader.at(reader).handler.end() }
    unsafe calls.characters = { reader, text, count in
      unsafe XMLReader.at(reader).handler.text(Array(UnsafeBufferPointer(start: text, count: Int(count))))
    }
    unsafe calls.cdataBlock = { reader, text, count in
      unsafe XMLReader.at(reader).handler.text(Array(UnsafeBufferPointer(start: text, count: Int(count))))
    }
    unsafe calls.internalSubset = { reader, _, _, _ in
      let reader = unsafe XMLReader.at(reader)
      reader.hasDocumentType = true
      unsafe xmlStopParser(reader.context)
    }
    // Without one libxml2 would write to standard error.
    unsafe calls.serror = { _, _ in }
    return unsafe calls
  }

  private static func at(_ reader: UnsafeMutableRawPointer?) -> XMLReader {
    guard let reader = unsafe reader else { preconditionFailure("libxml2 has lost the context of a document") }
    return unsafe Unmanaged<XMLReader>.fromOpaque(reader).takeUnretainedValue()
  }

  private static func name(_ name: UnsafePointer<UInt8>?, _ namespace: UnsafePointer<UInt8>?) -> String {
    guard let name = unsafe name, let namespace = unsafe namespace, unsafe String(cString: namespace) == "DAV:" else {
      return ""
    }
    return unsafe String(cString: name)
  }
}
