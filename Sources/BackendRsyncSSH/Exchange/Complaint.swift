internal import SyncKit

/// A line of rsync's error output about one file or folder.
///
/// `rsyserr` in `log.c` writes `rsync: [WHO] ACTION: MESSAGE (ERRNO)`, or without `[WHO]` before 3.2; the other lines about
/// files have no errno. The errno is read at the end of the line only, because a name may contain anything.
struct Complaint: Hashable, Sendable {
  /// The kind of failure.
  enum Kind: Hashable, Sendable {
    /// A system call failed with this errno.
    case failed(errno: Int)
    /// A file to remove had changed, and was kept.
    case changedBeforeRemoval
    /// A file disappeared before rsync read it.
    case vanished
  }

  var kind: Kind
  /// The action that failed, such as `opendir "/srv/org/a" failed`.
  var action: String
  /// The path in the line, absolute or relative to the root; nil if there is none.
  var path: String?

  /// Parses a line; returns nil if it is not about a file.
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

  /// Returns true if rsync printed the line, whether or not it is about a file.
  static func isFromRsync(_ line: String) -> Bool {
    line.hasPrefix("rsync: ") || line.hasPrefix("rsync error: ") || line.hasPrefix("rsync warning: ")
      || Complaint(line) != nil
  }

  /// The errno of a failed system call; nil for other lines.
  var errno: Int? { if case .failed(let number) = kind { number } else { nil } }

  /// Returns true if the line is about `path`, or about rsync's temporary file for it.
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

  /// Returns the last quoted name, or the only unquoted one.
  private static func path(in action: Substring) -> Substring? {
    if let name = action.firstMatch(of: #/-> "(.*)"/#) { return name.1 }
    if let name = action.firstMatch(of: /"(.*)"/) { return name.1 }
    return action.wholeMatch(of: /sender failed to [^ ]+ (.*)/)?.1
  }

  /// rsync writes unprintable bytes in messages as `\#OOO`, in octal digits.
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
  /// True if the host's disk is full: ENOSPC, or EDQUOT on Linux.
  var reportNoRoom: Bool { contains { [28, 122].contains($0.errno) } }

  /// Returns true if the account lacks permission for `path`: EPERM, EACCES or EROFS.
  func forbid(_ path: SyncPath) -> Bool { contains { [1, 13, 30].contains($0.errno) && $0.concerns(path) } }
}

extension Sequence<String> {
  /// Returns the first line about a failure at `path`; nil if there is none.
  func reason(for path: SyncPath) -> String? { first { Complaint($0)?.concerns(path) == true } }
}
