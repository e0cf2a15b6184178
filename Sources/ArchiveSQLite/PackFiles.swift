import SyncKit
internal import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The pack files in a folder: `1.pack`, `2.pack` … Each one is a sequence of Zstandard frames.
struct PackFiles: Sendable {
  let folder: String

  static let suffix = ".pack"

  func path(of pack: Int) -> String { "\(folder)/\(pack)\(Self.suffix)" }

  /// Returns the numbers of the files that exist, in ascending order.
  func numbers() throws(SyncError) -> [Int] {
    try StateFile.names(in: folder).filter { $0.hasSuffix(Self.suffix) }
      .compactMap { Int($0.dropLast(Self.suffix.count)) }.sorted()
  }

  /// Returns the size of a file; 0 if it does not exist.
  func size(of pack: Int) -> Int { StateFile.facts(path(of: pack))?.size ?? 0 }

  /// Removes files that no content needs.
  func remove(_ packs: some Sequence<Int>) { for pack in packs { unsafe unlink(path(of: pack)) } }
}

/// Reads contents from the packs. It keeps the block that it read last, because the next content is mostly in it, too.
final class PackReader: Sendable {
  private struct State {
    var zstandard: Zstandard?
    var file: (pack: Int, file: StateFile)?
    var last: (place: BlockPlace, bytes: [UInt8])?
  }

  private let files: PackFiles
  private let state = Mutex(State())

  init(_ files: PackFiles) { self.files = files }

  /// Returns the bytes of a content; the caller verifies the digest. Throws `.notFound` if the pack is missing.
  func bytes(of content: PackedContent, _ digest: Digest) throws(SyncError) -> [UInt8] {
    try state.withLock { state throws(SyncError) in
      var bytes: [UInt8] = []
      for step in content.steps {
        guard let block = try block(step.block, against: bytes, &state), step.start >= 0, step.size >= 0,
          step.start + step.size <= block.count
        else { throw .damaged("the content \(digest) cannot be decompressed") }
        bytes = step.size == block.count ? block : Array(block[step.start..<step.start + step.size])
      }
      return bytes
    }
  }

  /// Returns the frame of a block as it is in the file.
  func frame(_ place: BlockPlace) throws(SyncError) -> [UInt8] {
    try state.withLock { state throws(SyncError) in try frame(place, &state) }
  }

  /// Forgets which file is open and what was read last.
  func forget() { state.withLock { ($0.file, $0.last) = (nil, nil) } }

  private func block(
    _ place: BlockPlace, against former: [UInt8], _ state: inout State
  ) throws(SyncError) -> [UInt8]? {
    if former.isEmpty, let last = state.last, last.place == place { return last.bytes }
    guard place.size >= 0, place.size <= BlockBuilder.largest, place.length >= 0,
      place.length <= 2 * BlockBuilder.largest
    else { return nil }
    let frame = try frame(place, &state)
    if state.zstandard == nil { state.zstandard = Zstandard() }
    guard let bytes = state.zstandard?.decompressed(frame, size: place.size, against: former) else { return nil }
    if former.isEmpty { state.last = (place, bytes) }
    return bytes
  }

  private func frame(_ place: BlockPlace, _ state: inout State) throws(SyncError) -> [UInt8] {
    if state.file?.pack != place.pack {
      state.file = (place.pack, try StateFile(files.path(of: place.pack), O_RDONLY))
    }
    return try state.file?.file.read(atMost: place.length, from: place.start) ?? []
  }
}
