import SyncDaemon

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads a secret from the terminal without echo, like passwd(1).
enum SecretPrompt {
  /// The input at a question for a secret.
  private enum Input {
    case line([UInt8])
    case end
    case interrupt
  }

  /// Returns the line that is typed after `question`; nil at the end of the input. Ctrl-C restores the terminal and ends the
  /// program. Echo is off when the question appears, however fast the answer comes.
  static func answer(to question: String) -> String? {
    var former = termios()
    guard unsafe tcgetattr(STDIN_FILENO, &former) == 0 else { return nil }
    var silent = former
    silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &silent)
    Console.error(question + " ", terminator: "")
    let input = input()
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &former)
    Console.error("")
    switch input {
    case .line(let typed): return String(decoding: typed, as: UTF8.self)
    case .end: return nil
    case .interrupt:
      // To the process: Dispatch blocks the signals of its threads, so `raise` would do nothing.
      kill(getpid(), SIGINT)
      return nil
    }
  }

  /// Returns the bytes up to the end of the line, after applying editing keys.
  private static func input() -> Input {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while unsafe read(STDIN_FILENO, &byte, 1) == 1 {
      switch byte {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return .line(line)
      case 0x04: return line.isEmpty ? .end : .line(line)
      case 0x03: return .interrupt
      case 0x08, 0x7F: removeCharacter(from: &line)
      case 0x15: line = []
      default: line.append(byte)
      }
    }
    return .end
  }

  private static func removeCharacter(from line: inout [UInt8]) {
    while let last = line.popLast(), last & 0xC0 == 0x80 {}
  }
}
