/// Text that another program sends, where a command takes `-` for it.
enum StandardInput {
  /// Returns all lines until the end of the input, without the last line feed.
  static func text() -> String {
    var lines: [String] = []
    while let line = readLine(strippingNewline: true) { lines.append(line) }
    return lines.joined(separator: "\n")
  }
}
