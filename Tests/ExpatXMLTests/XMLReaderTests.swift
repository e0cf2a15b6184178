import Testing

@testable import ExpatXML

@Suite struct XMLReaderTests {
  /// Records the events of a document as text.
  private final class Recorder: XMLHandler {
    var events = ""

    func begin(_ name: String) { events += "<\(name)>" }
    func text(_ bytes: [UInt8]) { events += String(decoding: bytes, as: UTF8.self) }
    func end() { events += "</>" }
  }

  private func events(_ document: String, namespace: String? = nil) -> String? {
    let recorder = Recorder()
    let reader = XMLReader(recorder, namespace: namespace)
    return reader.read(Array(document.utf8)) && reader.finish() ? recorder.events : nil
  }

  @Test("elements are reported by their local names, in any namespace or only in one")
  func names() {
    let document = "<a xmlns='urn:x' xmlns:o='urn:o'><o:b>1&amp;2</o:b></a>"
    #expect(events(document) == "<a><b>1&2</></>")
    #expect(events(document, namespace: "urn:x") == "<a><>1&2</></>")
    #expect(events("<a><b/></a>") == "<a><b></></>")
  }

  @Test(
    "a document with declarations, deep nesting or an early end is rejected",
    arguments: [
      "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", String(repeating: "<a>", count: 1_000), "<a><b></a>", "<a>", "",
      "<a>&b;</a>",
    ])
  func rejected(document: String) { #expect(events(document) == nil) }
}
