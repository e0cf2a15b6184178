import SyncKit

extension Digest {
  /// Returns every digest that occurs in `bytes`, in binary or in hexadecimal digits; most of them are accidental.
  static func mentioned(in bytes: [UInt8]) -> Set<Digest> {
    let binary = unsafe bytes.withUnsafeBytes { memory in
      memory.indices.dropLast(31).compactMap {
        unsafe Digest(memory: UnsafeRawBufferPointer(rebasing: memory[$0..<$0 + 32]))
      }
    }
    let runs = bytes.split { !$0.isHexadecimalDigit }.filter { $0.count == 64 }
    return Set(binary).union(runs.compactMap { Digest(hexadecimal: String(decoding: $0, as: UTF8.self)) })
  }
}

extension UInt8 {
  fileprivate var isHexadecimalDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    default: false
    }
  }
}
