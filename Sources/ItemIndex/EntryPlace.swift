import OrgKit

/// The identifier of an entry in the index with its line, in the order of the file.
struct EntryPlace: Sendable, Hashable {
  let id: Int64
  let line: Int

  /// The bytes of places, for a column.
  static func bytes(of places: [EntryPlace]) -> [UInt8] {
    var numbers: [Int64] = []
    numbers.reserveCapacity(2 * places.count)
    for place in places {
      numbers.append(place.id)
      numbers.append(Int64(place.line))
    }
    return [UInt8](numbers: numbers)
  }

  /// The number of places in a column of some bytes.
  static func count(in bytes: Int) -> Int { bytes / (2 * MemoryLayout<Int64>.size) }

  /// The places in a column.
  static func all(in bytes: [UInt8]) -> [EntryPlace] {
    let numbers = bytes.numbers
    return stride(from: 0, to: numbers.count - 1, by: 2).map { EntryPlace(id: numbers[$0], line: Int(numbers[$0 + 1])) }
  }
}

extension OrgEntryMark {
  /// The bytes of marks, for a column.
  static func bytes(of marks: [OrgEntryMark]) -> [UInt8] {
    var numbers: [Int64] = []
    numbers.reserveCapacity(3 * marks.count)
    for mark in marks {
      numbers.append(mark.text)
      numbers.append(mark.head)
      numbers.append(Int64(mark.level))
    }
    return [UInt8](numbers: numbers)
  }

  /// The marks in a column.
  static func all(in bytes: [UInt8]) -> [OrgEntryMark] {
    let numbers = bytes.numbers
    return stride(from: 0, to: numbers.count - 2, by: 3).map {
      OrgEntryMark(text: numbers[$0], head: numbers[$0 + 1], level: Int(numbers[$0 + 2]))
    }
  }
}

extension [UInt8] {
  /// The bytes of numbers, in the order of this machine: the index never leaves it.
  init(numbers: [Int64]) { self = unsafe numbers.withUnsafeBytes { unsafe [UInt8]($0) } }

  /// The numbers in bytes.
  var numbers: [Int64] {
    unsafe withUnsafeBytes { bytes in
      (0..<(bytes.count / 8)).map { unsafe bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self) }
    }
  }
}
