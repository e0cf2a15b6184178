#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The environment of a plugin that is opened for one store or remote.
public struct RemoteParts: Sendable {
  /// The name of the remote in the settings, or `store`.
  public var name: String
  /// The storage that the remote is staged through, with its layers; nil if the sync backend uses none.
  public var storage: (any Storage)?
  /// The cipher for the files of the remote if its format encrypts them itself; nil otherwise.
  public var cipher: (any Cipher)?
  /// The device that the program runs on.
  public var device: Device
  /// Clock and random numbers.
  public var runtime: Runtime
  /// Contents of previous versions, by digest.
  public var contents: any ContentLibrary
  /// Small durable records of this remote, for the plugin.
  public var journal: any Journal
  /// A local folder for data that the plugin can fetch again, such as a copy of a repository; nil if none is available.
  public var cache: CacheFolder?
  /// The absolute path of a local folder for data that exists nowhere else, such as changes that no other device has yet; nil if none
  /// is available. It belongs to the remote alone, need not exist, and nothing else empties it.
  public var dataFolder: String?
  /// The limits of the remote's transfers. The transfers of `storage` are limited already; a sync backend without a storage
  /// limits its own, with `Storage.limited` or in its streams.
  public var traffic = TrafficLimit.none
  /// True if nothing may be written to the remote, as with the mode `receive`. The engine then changes nothing there; `diagnose`
  /// must not test by writing, either.
  public var isReceiveOnly = false

  /// Creates the parts of one store or remote.
  public init(
    name: String, storage: (any Storage)? = nil, cipher: (any Cipher)? = nil, device: Device, runtime: Runtime,
    contents: any ContentLibrary, journal: any Journal, cache: CacheFolder? = nil
  ) {
    self.name = name
    self.storage = storage
    self.cipher = cipher
    self.device = device
    self.runtime = runtime
    self.contents = contents
    self.journal = journal
    self.cache = cache
  }
}

/// A folder on this machine for the exclusive use of one remote. It need not exist, and may be emptied at any time.
public struct CacheFolder: Hashable, Sendable {
  /// The absolute path.
  public var path: String
  /// True if nothing may be changed in it, as in a dry run.
  public var isReadOnly: Bool

  /// Creates the description of a folder.
  public init(path: String, isReadOnly: Bool = false) {
    self.path = path
    self.isReadOnly = isReadOnly
  }
}

/// The device that the program runs on.
public struct Device: Hashable, Sendable {
  /// The unique id: letters and digits.
  public var id: String
  /// The name for people. Several devices can have the same one.
  public var name: String

  /// Creates a device.
  public init(id: String, name: String) {
    self.id = id
    self.name = name
  }

  /// The maximum length of a device's name.
  package static let longestName = 32

  /// Returns the device's name that is closest to `text`: its letters, digits, hyphens and underscores; nil if it has none.
  package static func name(from text: String) -> String? {
    let allowed = text.utf8.filter(isInName).drop(while: isMark).prefix(longestName)
    let name = allowed.reversed().drop(while: isMark).reversed()
    return name.isEmpty ? nil : String(decoding: Array(name), as: UTF8.self)
  }

  private static func isMark(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") }

  private static func isInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: isMark(byte)
    }
  }
}

/// The clock, the random numbers and the sleep of the running program. A simulator passes its own.
public struct Runtime: Sendable {
  /// The time of day.
  public var now: @Sendable () -> Timestamp
  /// Returns that number of random bytes.
  public var random: @Sendable (Int) -> [UInt8]
  /// Waits; throws when the task is cancelled.
  public var sleep: @Sendable (Duration) async throws -> Void

  public init(
    now: @escaping @Sendable () -> Timestamp, random: @escaping @Sendable (Int) -> [UInt8],
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.now = now
    self.random = random
    self.sleep = sleep
  }
}

extension Runtime {
  /// The system's clock and random numbers.
  public static let real = Runtime(
    now: {
      var time = timespec()
      unsafe clock_gettime(CLOCK_REALTIME, &time)
      return Timestamp(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    },
    random: { count in
      var generator = SystemRandomNumberGenerator()
      // Eight bytes at a time: each call asks the kernel.
      let words = (0..<(count + 7) / 8).map { _ in generator.next() as UInt64 }
      return (0..<count).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64($0 % 8 * 8)) }
    },
    sleep: { try await Task.sleep(for: $0) })

  /// Returns a unique random name: lower-case letters and digits.
  public func uniqueName(length: Int = 12) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz234567")
    return String(random(length).map { letters[Int($0) & 31] })
  }
}

/// Contents by their digest.
public protocol ContentLibrary: Sendable {
  /// Returns the content with this digest; nil if it is not stored.
  func content(_ digest: Digest) async throws(SyncError) -> Content?

  /// Returns those of the contents that are stored. Default: looks each one up.
  func contents(_ digests: Set<Digest>) async throws(SyncError) -> [Digest: Content]

  /// Returns the versions of a path on which store and a remote have agreed, the newest first and each once; the contents of old
  /// ones may be gone. Default: none.
  func agreedVersions(of path: SyncPath, atMost count: Int) async throws(SyncError) -> [Digest]

  /// Returns a sink that stores every content of at most `limit` bytes, and computes the digest of all.
  func intake(keepingAtMost limit: Int) -> any ContentSink

  /// Makes everything that was stored so far durable.
  func flush() async throws(SyncError)

  /// Records versions that are about to be replaced or removed, and whose contents are already stored, so that users find them
  /// in the history. Both are durable on return.
  func keep(_ versions: [Version]) async throws(SyncError)
}

extension ContentLibrary {
  public func agreedVersions(of path: SyncPath, atMost count: Int) async throws(SyncError) -> [Digest] { [] }

  public func contents(_ digests: Set<Digest>) async throws(SyncError) -> [Digest: Content] {
    var found: [Digest: Content] = [:]
    for digest in digests { found[digest] = try await content(digest) }
    return found
  }
}

/// Small durable records of one remote: intents, counters, probed capabilities.
public protocol Journal: Sendable {
  /// Returns all records, by key.
  func records() async throws(SyncError) -> [String: [UInt8]]

  /// Sets the records that have a value and removes those that have none, atomically and durably.
  func write(_ records: [String: [UInt8]?]) async throws(SyncError)
}
