import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The plan in the environment variable `SYNCD_FAILPOINTS`: rules `NAME=ACTION[@COUNT]`, separated by semicolons.
///
/// The name `*` means all failpoints, counted together.
/// Actions: `kill`, `abort`, `error(ERRNO)`, `delay(MILLISECONDS)`, `pause(FILE)` (until the file exists), `short(BYTES)`
/// and `corrupt` (of what is being written). Counts: `every` (default), `first`, `nth(K)`, `probability(P,SEED)`.
public final class FailpointPlan: Sendable {
  /// The plan of this process; nil if the variable is not set, as outside of tests, or is invalid, which the program reports
  /// with ``mistake(in:among:)``.
  public static let current: FailpointPlan? = unsafe getenv("SYNCD_FAILPOINTS").flatMap {
    unsafe FailpointPlan(String(cString: $0))
  }

  private let rules: [Rule]
  private let hits: Mutex<[Int: Int]> = Mutex([:])

  struct Rule: Equatable {
    /// The failpoint's name; nil for every failpoint.
    var name: String?
    var action: Action
    var count: Count
  }

  enum Action: Equatable {
    case kill
    case abort
    case error(Int32)
    case delay(milliseconds: UInt32)
    case pause(file: String)
    case short(bytes: Int)
    case corrupt
  }

  enum Count: Equatable {
    case every
    case nth(Int)
    case probability(Double, seed: UInt64)
  }

  /// Returns the first part of `text` that is not a rule, or is a rule for an unknown failpoint; nil if all parts are valid.
  public static func mistake(in text: String, among failpoints: [Failpoint]) -> String? {
    let names = Set(failpoints.map(\.name))
    return text.split(separator: ";").first { part in
      guard let rule = Rule(part) else { return true }
      return rule.name.map { !names.contains($0) } ?? false
    }.map(String.init)
  }

  /// Parses a plan; returns nil if it is invalid.
  init?(_ text: String) {
    var rules: [Rule] = []
    for part in text.split(separator: ";") {
      guard let rule = Rule(part) else { return nil }
      rules.append(rule)
    }
    self.rules = rules
  }

  func reach(_ name: String) throws(SyncError) {
    var nothing: [UInt8] = []
    try reach(name, writing: &nothing)
  }

  func reach(_ name: String, writing bytes: inout [UInt8]) throws(SyncError) {
    // Every rule counts this hit before the first one is carried out, which may throw.
    let due = rules.enumerated()
      .filter { $0.element.name == nil || $0.element.name == name }
      .filter { isDue($0.element.count, at: $0.offset) }
    for (_, rule) in due { try carryOut(rule.action, at: name, writing: &bytes) }
  }

  private func isDue(_ count: Count, at index: Int) -> Bool {
    let hit = hits.withLock { hits in
      hits[index, default: 0] += 1
      return hits[index, default: 0]
    }
    switch count {
    case .every: return true
    case .nth(let wanted): return hit == wanted
    case .probability(let share, let seed):
      var generator = SplitMix64(state: seed &+ UInt64(hit))
      return Double(generator.next() >> 11) / Double(1 << 53) < share
    }
  }

  private func carryOut(_ action: Action, at name: String, writing bytes: inout [UInt8]) throws(SyncError) {
    switch action {
    case .kill: kill(getpid(), SIGKILL)
    case .abort: raise(SIGABRT)
    case .delay(let milliseconds): usleep(milliseconds * 1000)
    case .pause(let file): Self.pause(until: file)
    case .short(let count): bytes = Array(bytes.prefix(count))
    case .corrupt: if !bytes.isEmpty { bytes[bytes.count / 2] ^= 0x20 }
    case .error(let number):
      let code: SyncError.Code = number == ENOSPC || number == EDQUOT ? .noSpace : .unexpected
      throw SyncError(code, "failpoint \(name) failed with error \(number)")
    }
  }

  /// Creates `FILE.reached`, for the test that waits for this moment, and waits until the file exists.
  private static func pause(until file: String) {
    let descriptor = unsafe open(file + ".reached", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
    while unsafe access(file, F_OK) != 0 { usleep(1000) }
  }
}

extension FailpointPlan.Rule {
  init?(_ text: Substring) {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    let name = text[..<equals]
    let parts = text[text.index(after: equals)...].split(separator: "@", maxSplits: 1)
    guard let first = parts.first, let action = FailpointPlan.Action(first) else { return nil }
    guard let count = text.contains("@") ? parts.dropFirst().first.flatMap(FailpointPlan.Count.init) : .every else {
      return nil
    }
    self.name = name == "*" ? nil : String(name)
    self.action = action
    self.count = count
  }
}

extension FailpointPlan.Action {
  fileprivate init?(_ text: Substring) {
    let (word, argument) = call(text)
    switch word {
    case "kill": self = .kill
    case "abort": self = .abort
    case "corrupt": self = .corrupt
    case "error":
      guard let number = Self.errors[argument] ?? Int32(argument) else { return nil }
      self = .error(number)
    case "delay":
      guard let milliseconds = UInt32(argument), milliseconds <= .max / 1000 else { return nil }
      self = .delay(milliseconds: milliseconds)
    case "pause":
      guard !argument.isEmpty else { return nil }
      self = .pause(file: argument)
    case "short":
      guard let bytes = Int(argument), bytes >= 0 else { return nil }
      self = .short(bytes: bytes)
    default: return nil
    }
  }

  private static let errors: [String: Int32] = [
    "ENOSPC": ENOSPC, "EDQUOT": EDQUOT, "EIO": EIO, "EACCES": EACCES, "EROFS": EROFS, "EMFILE": EMFILE,
    "ESTALE": ESTALE, "EINTR": EINTR,
  ]
}

extension FailpointPlan.Count {
  fileprivate init?(_ text: Substring) {
    let (word, argument) = call(text)
    switch word {
    case "every": self = .every
    case "first": self = .nth(1)
    case "nth":
      guard let number = Int(argument), number > 0 else { return nil }
      self = .nth(number)
    case "probability":
      let parts = argument.split(separator: ",")
      guard parts.count == 2, let share = Double(parts[0]), let seed = UInt64(parts[1]) else { return nil }
      self = .probability(share, seed: seed)
    default: return nil
    }
  }
}

/// Splits `word(argument)`.
private func call(_ text: Substring) -> (word: String, argument: String) {
  guard let open = text.firstIndex(of: "("), text.last == ")" else { return (String(text), "") }
  return (String(text[..<open]), String(text[text.index(after: open)...].dropLast()))
}
