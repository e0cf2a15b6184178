internal import SyncKit

/// What a line of rsync's error output says of one file or folder.
///
/// `rsyserr` in `log.c` writes `rsync: [WHO] ACTION: MESSAGE (ERRNO)`, or without `[WHO]` before 3.2; the other lines about
/// files have no number. The number is read at the end of the line only, because a name may hold anything.
struct Complaint: Hashable, Sendable {
  /// What rsync did not do.
  enum Kind: Hashable, Sendable {
    /// A system call failed with this number.
    case failed(errno: Int)
    /// A file that was to be removed had changed, and stays.
    case changedBeforeRemoval
    /// A file was gone when rsync came to it.
    case vanished
  }

  var kind: Kind
  /// What rsync was doing, such as `opendir "/srv/org/a" failed`.
  var action: String
  /// The path that the line names; relative to the root, or absolute. Nil if it names none.
  var path: String?

  /// Nil for a line that says nothing of a file.
  init?(_ line: String) {
    guard let complaint = Self.notice(line) ?? Self.systemError(line) else { return nil }
    self = complaint
  }

  private init(_ kind: Kind, _ action: some StringProtocol, path: Substring?) {
    self.kind = kind
    self.action = String(action)
    self.path = path.map(Self.unescaped)
  }

  private static func notice(_ line: String) -> Complaint? {
    if let match = line.wholeMatch(of: /(?:ERROR: )?Skipping sender remove for changed file: (.*)/) {
      return Complaint(.changedBeforeRemoval, "sender remove", path: match.1)
    }
    if let match = line.wholeMatch(of: /file has vanished: "(.*)"/) {
      return Complaint(.vanished, "open", path: match.1)
    }
    return nil
  }

  private static func systemError(_ line: String) -> Complaint? {
    guard let match = line.wholeMatch(of: /rsync: (?:\[[a-z ]+\] )?(.*): [^:"]* \(([0-9]{1,4})\)/),
      let number = Int(match.2)
    else { return nil }
    return Complaint(.failed(errno: number), match.1, path: path(in: match.1))
  }

  /// Returns true if the line is one of rsync, of a file or not.
  static func isFromRsync(_ line: String) -> Bool {
    line.hasPrefix("rsync: ") || line.hasPrefix("rsync error: ") || line.hasPrefix("rsync warning: ")
      || Complaint(line) != nil
  }

  /// The number of the error that a system call ended with; nil if none did.
  var errno: Int? { if case .failed(let number) = kind { number } else { nil } }

  /// Returns true if it is about `path`, or about the temporary file that rsync writes for it.
  func concerns(_ path: SyncPath) -> Bool {
    guard let named = self.path else { return false }
    if Self.names(named, path) { return true }
    // `.NAME.XXXXXX`, in the same folder.
    guard let slash = named.lastIndex(of: "/") ?? named.indices.first, named.count > 7 else { return false }
    let temporary = named[slash...].trimmingPrefix("/")
    guard temporary.hasPrefix("."), temporary.dropLast(6).hasSuffix(".") else { return false }
    let folder = named.contains("/") ? named[...slash] : ""
    return Self.names(folder + temporary.dropFirst().dropLast(7), path)
  }

  private static func names(_ named: some StringProtocol, _ path: SyncPath) -> Bool {
    named == path.description || named.hasSuffix("/" + path.description)
  }

  // MARK: Reading

  /// The last name in quotes, or the only name that no quotes surround.
  private static func path(in action: Substring) -> Substring? {
    if let name = action.firstMatch(of: #/-> "(.*)"/#) { return name.1 }
    if let name = action.firstMatch(of: /"(.*)"/) { return name.1 }
    return action.wholeMatch(of: /sender failed to [^ ]+ (.*)/)?.1
  }

  /// rsync writes bytes that are not printable there as `\#OOO`, in octal digits.
  private static func unescaped(_ name: Substring) -> String {
    var (bytes, rest) = ([UInt8](), Array(name.utf8)[...])
    while let byte = rest.popFirst() {
      let digits = rest.dropFirst().prefix(3)
      if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "#"), digits.count == 3,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        bytes.append(value)
        rest = rest.dropFirst(4)
      } else {
        bytes.append(byte)
      }
    }
    return printable(bytes)
  }
}

extension Sequence<Complaint> {
  /// Returns true if the host has no room left: ENOSPC, or EDQUOT on Linux.
  var reportNoRoom: Bool { contains { [28, 122].contains($0.errno) } }

  /// Returns true if the account must not do this to `path`: EPERM, EACCES or EROFS.
  func forbid(_ path: SyncPath) -> Bool { contains { [1, 13, 30].contains($0.errno) && $0.concerns(path) } }
}

extension Sequence<String> {
  /// The first line that reports why something at `path` failed; nil if none does.
  func reason(for path: SyncPath) -> String? { first { Complaint($0)?.concerns(path) == true } }
}
