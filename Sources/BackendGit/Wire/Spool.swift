internal import CurlHTTP
internal import SyncKit
import Synchronization

import struct Foundation.Data
import class Foundation.FileHandle

/// A message that is buffered before it is sent, because its length comes first: in memory while it is small, then in an
/// unnamed file.
final class Spool: HTTPBody {
  private struct State: Sendable {
    var bytes: [UInt8] = []
    var file: FileHandle?
    var size = 0
  }

  private let state = Mutex(State())
  private static let largestInMemory = 4 << 20
  private static let piece = 1 << 20

  var size: Int { state.withLock { $0.size } }

  func append(_ bytes: UnsafeRawBufferPointer) throws(SyncError) {
    let bytes = unsafe Array(bytes)
    do {
      try state.withLock { state in
        state.size += bytes.count
        state.bytes += bytes
        guard state.size > Self.largestInMemory else { return }
        let file = try state.file ?? TemporaryFiles.unnamedFile()
        state.file = file
        try file.seekToEnd()
        try file.write(contentsOf: Data(state.bytes))
        state.bytes = []
      }
    } catch {
      throw SyncError(.noSpace, "cannot write to the temporary folder: \(error)")
    }
  }

  func reader() -> any HTTPBodyReader { Reader(spool: self) }

  private func piece(at offset: Int) throws -> [UInt8] {
    try state.withLock { state in
      guard let file = state.file else { return Array(state.bytes.dropFirst(offset).prefix(Self.piece)) }
      try file.seek(toOffset: UInt64(offset))
      return Array(try file.read(upToCount: Self.piece) ?? Data())
    }
  }

  private struct Reader: HTTPBodyReader {
    let spool: Spool
    var offset = 0

    mutating func next() throws -> [UInt8]? {
      let piece = try spool.piece(at: offset)
      offset += piece.count
      return piece.isEmpty ? nil : piece
    }
  }
}
