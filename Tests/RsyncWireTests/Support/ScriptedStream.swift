import RsyncWire

/// A server that sends a script, in pieces, and reads everything.
final class ScriptedStream: ByteStream {
  private var pieces: ArraySlice<ArraySlice<UInt8>>
  /// Everything that the client sent.
  private(set) var heard: [UInt8] = []

  init(_ bytes: [UInt8], cutting size: Int = .max) {
    let size = max(1, min(size, bytes.count))
    pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }[...]
  }

  init(_ first: ArraySlice<UInt8>, _ second: ArraySlice<UInt8>) {
    pieces = [first, second].filter { !$0.isEmpty }[...]
  }

  func write(_ bytes: [UInt8]) { heard += bytes }

  func read() -> [UInt8] { pieces.popFirst().map(Array.init) ?? [] }
}

/// The contents of the frames that a client sends: its data, and its messages at their positions.
func unframed(_ bytes: [UInt8]) -> [[UInt8]] {
  var parts: [[UInt8]] = [Array(bytes.prefix(4)), []]
  var rest = bytes.dropFirst(4)
  while rest.count >= 4 {
    let head = Array(rest.prefix(4))
    let length = Int(head[0]) | Int(head[1]) << 8 | Int(head[2]) << 16
    let body = rest.dropFirst(4).prefix(length)
    if head[3] == 7 { parts[parts.count - 1] += body } else { parts += [head + body, []] }
    rest = rest.dropFirst(4 + length)
  }
  return parts + [Array(rest)]
}

/// A server that repeats the end of its script for 64 MiB.
final class EndlessStream: ByteStream {
  private var first: [UInt8]
  private let repeated: [UInt8]
  private var left = (64 << 20) / (1 << 15)

  init(_ first: [UInt8], then repeated: [UInt8]) {
    self.first = first
    self.repeated = Array(repeatElement(repeated, count: max(1, (1 << 15) / repeated.count)).joined())
  }

  func write(_ bytes: [UInt8]) {}

  func read() -> [UInt8] {
    defer { first = [] }
    guard first.isEmpty else { return first }
    left -= 1
    return left < 0 ? [] : repeated
  }
}
