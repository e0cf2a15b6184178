import SyncDaemon

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads a secret from the terminal without echo, like passwd(1).
enum SecretPrompt {
  /// Returns the line that is typed after `question`; empty at the end of the input. Ctrl-C restores the terminal and exits.
  /// Echo is off when the question appears, however fast the answer comes.
  static func answer(to question: String) -> String {
    var former = termios()
    guard unsafe tcgetattr(STDIN_FILENO, &former) == 0 else { return "" }
    var silent = former
    silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &silent)
    Console.error(question + " ", terminator: "")
    let typed = typedBytes()
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &former)
    Console.error("")
    guard let typed else {
      raise(SIGINT)
      return ""
    }
    return String(decoding: typed, as: UTF8.self)
  }

  /// Returns the bytes up to the end of the line, after applying editing keys; nil after Ctrl-C.
  private static func typedBytes() -> [UInt8]? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while unsafe read(STDIN_FILENO, &byte, 1) == 1 {
      switch byte {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0x04: return line
      case 0x03: return nil
      case 0x08, 0x7F: removeCharacter(from: &line)
      case 0x15: line = []
      default: line.append(byte)
      }
    }
    return line
  }

  private static func removeCharacter(from line: inout [UInt8]) {
    while let last = line.popLast(), last & 0xC0 == 0x80 {}
  }
}
