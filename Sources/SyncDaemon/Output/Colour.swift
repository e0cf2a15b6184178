import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A colour of text on a terminal, one of those that every terminal has.
package enum Colour: String, Sendable {
  case red = "31"
  case green = "32"
  case yellow = "33"
  case cyan = "36"

  /// Returns the text with the control sequences of the colour.
  package func of(_ text: String) -> String { "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" }

  /// Returns true if output is coloured: not with `NO_COLOR` (no-color.org), always with `CLICOLOR_FORCE`, and otherwise on a terminal
  /// unless `CLICOLOR` is 0 or the terminal is dumb (bixense.com/clicolors).
  package static func isUsed(_ variable: (String) -> String?, onTerminal isTerminal: Bool) -> Bool {
    if variable("NO_COLOR").map({ !$0.isEmpty }) ?? false { return false }
    if variable("CLICOLOR_FORCE").map({ !$0.isEmpty && $0 != "0" }) ?? false { return true }
    return isTerminal && variable("CLICOLOR") != "0" && variable("TERM") != "dumb"
  }
}

extension Console {
  /// Writes a line to standard output in a colour, if output is coloured. Control characters of the text are escaped.
  package static func print(_ text: String, in colour: Colour?) {
    guard let colour, isColoured(STDOUT_FILENO) else { return print(text) }
    print(bytes: Array((colour.of(text.printable) + "\n").utf8))
  }

  /// Writes a line to standard error in a colour, if it is coloured.
  package static func error(_ text: String, in colour: Colour) {
    guard isColoured(STDERR_FILENO) else { return error(text) }
    draw(colour.of(text.printable) + "\n")
  }

  /// The number of columns of the terminal on standard output; nil if it is none.
  package static var width: Int? {
    guard outputIsTerminal else { return nil }
    if let columns = variable("COLUMNS").flatMap({ Int($0) }), columns > 0 { return columns }
    var size = winsize()
    let isKnown = unsafe ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return isKnown ? Int(size.ws_col) : nil
  }

  private static func isColoured(_ descriptor: Int32) -> Bool {
    Colour.isUsed(variable, onTerminal: descriptor == STDOUT_FILENO ? outputIsTerminal : isatty(descriptor) == 1)
  }

  /// A descriptor of the terminal: standard output, or standard error if a pager shows the output.
  private static var terminal: Int32 { isatty(STDOUT_FILENO) == 1 ? STDOUT_FILENO : STDERR_FILENO }

  private static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
}
