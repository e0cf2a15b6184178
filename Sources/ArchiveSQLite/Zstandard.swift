internal import CZstd
import SyncKit

/// Compresses and decompresses by Zstandard (RFC 8878), and owns the memory for both. One use at a time.
///
/// A frame may be compressed against a former content: then it has little more than the difference, and is decompressed with
/// the same former content.
@safe final class Zstandard {
  private let compressor: OpaquePointer?
  private let decompressor: OpaquePointer?

  /// The default level of Zstandard. It is faster than the disk, and the next levels gain less than 1 % of notes.
  private static let level: CInt = 3

  init() {
    unsafe compressor = ZSTD_createCCtx()
    unsafe decompressor = ZSTD_createDCtx()
    _ = unsafe ZSTD_CCtx_setParameter(compressor, ZSTD_c_compressionLevel, Self.level)
  }

  deinit {
    unsafe ZSTD_freeCCtx(compressor)
    unsafe ZSTD_freeDCtx(decompressor)
  }

  /// Returns `bytes` as one frame.
  func compressed(_ bytes: [UInt8], against former: [UInt8] = []) throws(SyncError) -> [UInt8] {
    var code = 0
    let frame = unsafe [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { buffer, count in
      unsafe former.withUnsafeBytes { prefix in
        unsafe bytes.withUnsafeBytes { bytes in
          _ = unsafe ZSTD_CCtx_reset(compressor, ZSTD_reset_session_only)
          _ = unsafe ZSTD_CCtx_refPrefix(compressor, prefix.baseAddress, prefix.count)
          code = unsafe ZSTD_compress2(
            compressor, buffer.baseAddress, buffer.count, bytes.baseAddress, bytes.count)
        }
      }
      count = ZSTD_isError(code) == 0 ? code : 0
    }
    guard ZSTD_isError(code) == 0 else { throw .compression(code) }
    return frame
  }

  /// Returns the `size` bytes of a frame; nil if it is damaged or has another size.
  func decompressed(_ frame: [UInt8], size: Int, against former: [UInt8] = []) -> [UInt8]? {
    var code = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      unsafe former.withUnsafeBytes { prefix in
        unsafe frame.withUnsafeBytes { frame in
          _ = unsafe ZSTD_DCtx_reset(decompressor, ZSTD_reset_session_only)
          _ = unsafe ZSTD_DCtx_refPrefix(decompressor, prefix.baseAddress, prefix.count)
          code = unsafe ZSTD_decompressDCtx(
            decompressor, buffer.baseAddress, size, frame.baseAddress, frame.count)
        }
      }
      count = ZSTD_isError(code) == 0 ? code : 0
    }
    return ZSTD_isError(code) == 0 && bytes.count == size ? bytes : nil
  }
}

/// Compresses one content piece by piece into a frame.
@safe final class FrameWriter {
  private let compressor: OpaquePointer?

  init() { unsafe compressor = ZSTD_createCStream() }

  deinit { unsafe ZSTD_freeCStream(compressor) }

  /// Returns the next part of the frame, which may be empty; the last one after `isLast`.
  func update(_ bytes: [UInt8], isLast: Bool = false) throws(SyncError) -> [UInt8] {
    var frame: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 17)
    let code = unsafe bytes.withUnsafeBytes { source in
      var input = unsafe ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: 0)
      while true {
        var written = 0
        let code = unsafe piece.withUnsafeMutableBytes { target in
          var output = unsafe ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
          defer { written = unsafe output.pos }
          return unsafe ZSTD_compressStream2(compressor, &output, &input, isLast ? ZSTD_e_end : ZSTD_e_continue)
        }
        frame += piece.prefix(written)
        let isDone = unsafe isLast ? code == 0 : input.pos == input.size
        if isDone || ZSTD_isError(code) != 0 { return code }
      }
    }
    guard ZSTD_isError(code) == 0 else { throw .compression(code) }
    return frame
  }
}

/// Decompresses one frame piece by piece.
@safe final class FrameReader: @unchecked Sendable {
  private let decompressor: OpaquePointer?
  private var input: [UInt8] = []
  private var position = 0
  /// True if the last piece was as long as asked for, so that there may be more without more input.
  private var wasFull = false

  init() { unsafe decompressor = ZSTD_createDStream() }

  deinit { unsafe ZSTD_freeDStream(decompressor) }

  /// True if the next piece needs more of the frame.
  var needsInput: Bool { position == input.count && !wasFull }

  /// Adds the next bytes of the frame.
  func feed(_ bytes: [UInt8]) { (input, position) = (bytes, 0) }

  /// Returns the next bytes of the content, which may be none; nil if the frame is damaged.
  func next(atMost limit: Int) -> [UInt8]? {
    var code = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      unsafe input.withUnsafeBytes { source in
        var from = unsafe ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: position)
        var to = unsafe ZSTD_outBuffer(dst: buffer.baseAddress, size: limit, pos: 0)
        code = unsafe ZSTD_decompressStream(decompressor, &to, &from)
        (position, count) = unsafe (from.pos, to.pos)
      }
    }
    wasFull = bytes.count == limit
    return ZSTD_isError(code) == 0 ? bytes : nil
  }
}

extension SyncError {
  fileprivate static func compression(_ code: Int) -> SyncError {
    SyncError(.unexpected, "cannot compress a content: \(unsafe String(cString: ZSTD_getErrorName(code)))")
  }
}
