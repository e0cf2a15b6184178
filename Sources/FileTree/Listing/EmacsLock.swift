internal import CPOSIX
internal import SyncKit

/// Emacs' lock beside a file with unsaved changes: a link called `.#NAME` to `USER@HOST.PID:BOOT`, or a small file with that
/// text where links are not supported.
struct EmacsLock: Equatable {
  let host: String
  let process: pid_t
  /// The boot time of the machine in seconds since 1970, if the lock has it.
  let boot: Int64?

  /// Parses the text of a lock; returns nil if it is invalid. The user's name may contain an `@`, and the host dots.
  init?(_ text: [UInt8]) {
    guard let at = text.lastIndex(of: UInt8(ascii: "@")) else { return nil }
    let location = text[(at + 1)...]
    guard let dot = location.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    let numbers = location[(dot + 1)...].split(separator: UInt8(ascii: ":"), maxSplits: 1).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard let process = numbers.first.flatMap({ pid_t($0) }), process > 0 else { return nil }
    self.host = String(decoding: location[..<dot], as: UTF8.self)
    self.process = process
    self.boot = numbers.count > 1 ? Int64(numbers[1]) : nil
  }

  /// Reads the lock beside the file at `location`; returns nil if there is none.
  init?(beside location: FileLocation) {
    let name = FileName(Array(".#".utf8) + location.path.name)
    if let target = try? location.folder.target(ofLink: name) {
      self.init(target)
    } else if let file = try? location.folder.file(name), (try? file.facts().kind) == .file,
      let text = try? file.read(atMost: 1024)
    {
      self.init(text)
    } else {
      return nil
    }
  }

  /// Returns true if the Emacs that made the lock is still running here. The lock of a crashed one does not count, nor that of
  /// another host.
  func isHeld(on machine: Machine) -> Bool {
    guard host == machine.host, machine.isAlive(process) else { return false }
    guard let boot, let started = machine.boot else { return true }
    // Emacs and the kernel round differently, and the clock may have been set since.
    return abs(boot - started) <= 5
  }
}

/// The machine to compare locks with.
struct Machine: Sendable {
  var host: String
  /// The boot time of this machine in seconds since 1970; nil if unknown.
  var boot: Int64?
  var isAlive: @Sendable (pid_t) -> Bool

  /// The machine that runs this program.
  static var this: Machine {
    Machine(host: hostName(), boot: bootTime()) { kill($0, 0) == 0 || Errno.current.number == EPERM }
  }

  private static func hostName() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func bootTime() -> Int64? {
    #if canImport(Darwin)
      var time = timeval()
      var size = MemoryLayout<timeval>.size
      return unsafe sysctlbyname("kern.boottime", &time, &size, nil, 0) == 0 ? Int64(time.tv_sec) : nil
    #else
      guard let folder = try? Folder.root(at: "/proc"), let file = try? folder.file(FileName("stat")),
        let text = try? file.read(atMost: 1 << 20)
      else { return nil }
      let line = String(decoding: text, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("btime ") }
      return line.flatMap { Int64($0.dropFirst(6)) }
    #endif
  }
}
