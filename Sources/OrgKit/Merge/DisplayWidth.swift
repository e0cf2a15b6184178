/// The number of screen columns of a text, for tags and tables.
func displayWidth(_ text: some Collection<UInt8>) -> Int {
  if text.allSatisfy({ $0 < 0x80 }) { return text.count }
  return String(decoding: Array(text), as: UTF8.self).unicodeScalars.reduce(0) { $0 + columns(of: $1) }
}

/// The number of screen columns of a table cell: Org shows only the description of a link, or its target.
func cellWidth(_ cell: Bytes) -> Int {
  var shown: [UInt8] = []
  var rest = cell
  while let start = rest.firstRange(of: Array("[[".utf8)),
    let end = rest[start.upperBound...].firstRange(of: Array("]]".utf8))
  {
    let link = rest[start.upperBound..<end.lowerBound]
    let description = link.firstRange(of: Array("][".utf8)).map { link[$0.upperBound...] }
    shown += rest[..<start.lowerBound] + (description ?? link)
    rest = rest[end.upperBound...]
  }
  return displayWidth(shown + rest)
}

private func columns(of scalar: Unicode.Scalar) -> Int {
  if scalar.value < 0x300 { return 1 }
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .enclosingMark, .format: return 0
  default: return wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }
}

// The wide and full-width ranges of Unicode's East Asian Width, with wide emoji.
private let wide: [ClosedRange<UInt32>] = [
  0x1100...0x115F, 0x231A...0x231B, 0x23E9...0x23EC, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF,
  0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
  0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x1FA70...0x1FAFF,
  0x20000...0x3FFFD,
]
