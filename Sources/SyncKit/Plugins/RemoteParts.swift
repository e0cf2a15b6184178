#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a plugin is handed when it is opened for one store or remote.
public struct RemoteParts: Sendable {
  /// The name of the remote in the settings, or `store`.
  public var name: String
  /// The storage that the remote is staged through, layers included; nil where the sync backend uses none.
  public var storage: (any Storage)?
  /// What seals the files of the remote where its format does that itself; nil otherwise.
  public var cipher: (any Cipher)?
  /// The device on which this program runs.
  public var device: Device
  /// Clock and random numbers.
  public var world: World
  /// Contents of former versions, by digest: the base of an edit.
  public var contents: any ContentLibrary
  /// Small durable records of this remote.
  public var journal: any Journal
  /// Where on this machine the plugin may keep what can be had again, such as a copy of a repository; nil where there is
  /// no such place.
  public var cache: CacheFolder?

  public init(
    name: String, storage: (any Storage)? = nil, cipher: (any Cipher)? = nil, device: Device, world: World,
    contents: any ContentLibrary, journal: any Journal, cache: CacheFolder? = nil
  ) {
    self.name = name
    self.storage = storage
    self.cipher = cipher
    self.device = device
    self.world = world
    self.contents = contents
    self.journal = journal
    self.cache = cache
  }
}

/// A folder of this machine that belongs to one remote and to nobody else. It need not exist; what is in it may be lost at
/// any moment without a loss to anybody.
public struct CacheFolder: Hashable, Sendable {
  public var path: String
  /// Whether nothing may change in it, as in a dry run.
  public var isReadOnly: Bool

  public init(path: String, isReadOnly: Bool = false) {
    self.path = path
    self.isReadOnly = isReadOnly
  }
}

/// The device on which the program runs.
public struct Device: Hashable, Sendable {
  /// Unique for ever; letters and digits.
  public var id: String
  /// What people call it: the host name's letters and digits.
  public var name: String

  public init(id: String, name: String) {
    self.id = id
    self.name = name
  }
}

/// Clock and random numbers, handed in so that a simulator can own them.
public struct World: Sendable {
  /// The time of day.
  public var now: @Sendable () -> Timestamp
  /// So many random bytes.
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

extension World {
  /// The world as it is.
  public static let real = World(
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

  /// A name that no one else chooses: lower-case letters and digits.
  public func uniqueName(length: Int = 12) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz234567")
    return String(random(length).map { letters[Int($0) & 31] })
  }
}

/// Where contents are found by their digest.
public protocol ContentLibrary: Sendable {
  /// The content with this digest, or nil if it is not held.
  func content(_ digest: Digest) async throws(SyncError) -> Content?

  /// Those of the contents that are held. Default: each by itself.
  func contents(_ digests: Set<Digest>) async throws(SyncError) -> [Digest: Content]

  /// A sink that keeps every content of at most `limit` bytes it takes in, and tells the digest of all.
  func intake(keepingAtMost limit: Int) -> any ContentSink

  /// Returns when everything that was taken in so far would survive a power cut.
  func flush() async throws(SyncError)
}

extension ContentLibrary {
  public func contents(_ digests: Set<Digest>) async throws(SyncError) -> [Digest: Content] {
    var found: [Digest: Content] = [:]
    for digest in digests { found[digest] = try await content(digest) }
    return found
  }
}

/// Small durable records of one remote: intents, counters, proved capabilities.
public protocol Journal: Sendable {
  /// All records, by key.
  func records() async throws(SyncError) -> [String: [UInt8]]

  /// Sets the records that have a value and removes those that have none, all at once; returns when it is durable.
  func write(_ records: [String: [UInt8]?]) async throws(SyncError)
}
