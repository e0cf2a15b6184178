import ExpatXML

@testable import CloudWebDAV

extension FuzzTarget {
  static let webDAV = FuzzTarget(
    name: "webdav",
    tokens: [
      "<D:response>", "</D:response>", "<D:href>/a/</D:href>", "<D:prop>", "<D:getetag>", "<D:getcontentlength>",
      "<![CDATA[", "]]>",
      "<!DOCTYPE a [<!ENTITY b \"c\">]>", "&b;", "&#0;", "&#x10FFFF;", "xmlns=\"\"", "<!--", "-->", "%00", "%2e%2e",
      "<D:timeout>Second-",
    ]
  ) { input in
    let reader = MultistatusReader()
    let parser = XMLReader(reader, namespace: "DAV:")
    guard parser.read(input), parser.finish() else { return }
    let answer = Multistatus(items: reader.items)
    for item in answer.items { _ = (answer.children(of: item.parts), item.failure) }
  }
}
