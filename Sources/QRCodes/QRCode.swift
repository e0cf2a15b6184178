/// A QR code (ISO/IEC 18004) of bytes, with the lowest level of error correction and the smallest version that has room.
package struct QRCode: Sendable {
  /// The number of modules on a side.
  package private(set) var size: Int
  private(set) var modules: [Bool]
  /// True for the modules that contain no data.
  private var isReserved: [Bool]
  private var version: Int

  /// Creates a code; nil if the bytes do not fit into the largest version.
  package init?(_ bytes: [UInt8]) {
    guard let version = (1...40).first(where: { QRLayout($0).dataBits(for: bytes.count) <= QRLayout($0).dataBytes * 8 })
    else { return nil }
    self.version = version
    size = version * 4 + 17
    modules = Array(repeating: false, count: size * size)
    isReserved = modules
    drawPatterns()
    draw(QRCodewords.all(of: bytes, QRLayout(version)))
    let masked = (0..<8).map(masked)
    self = masked.min { $0.penalty < $1.penalty } ?? self
  }

  /// Returns true if the module in a column and a row is dark. Modules outside of the code are light.
  package func isDark(_ x: Int, _ y: Int) -> Bool {
    (0..<size).contains(x) && (0..<size).contains(y) && modules[y * size + x]
  }

  private mutating func reserve(_ x: Int, _ y: Int, _ isDark: Bool) {
    guard (0..<size).contains(x), (0..<size).contains(y) else { return }
    modules[y * size + x] = isDark
    isReserved[y * size + x] = true
  }

  // MARK: Patterns

  private mutating func drawPatterns() {
    for index in 0..<size {
      reserve(6, index, index % 2 == 0)
      reserve(index, 6, index % 2 == 0)
    }
    for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] { drawFinder(x, y) }
    let places = QRLayout(version).alignments
    for x in places {
      for y in places where ![(6, 6), (6, size - 7), (size - 7, 6)].contains(where: { $0 == (x, y) }) {
        drawAlignment(x, y)
      }
    }
    drawFormat(mask: 0)
    drawVersion()
  }

  private mutating func drawFinder(_ x: Int, _ y: Int) {
    for dx in -4...4 {
      for dy in -4...4 {
        let distance = max(abs(dx), abs(dy))
        reserve(x + dx, y + dy, distance != 2 && distance != 4)
      }
    }
  }

  private mutating func drawAlignment(_ x: Int, _ y: Int) {
    for dx in -2...2 { for dy in -2...2 { reserve(x + dx, y + dy, max(abs(dx), abs(dy)) != 1) } }
  }

  /// Draws the level of error correction and the mask, twice.
  private mutating func drawFormat(mask: Int) {
    let data = 1 << 3 | mask
    let bits = (data << 10 | Self.remainder(of: data, bits: 10, by: 0x537)) ^ 0x5412
    let near = [(8, 0), (8, 1), (8, 2), (8, 3), (8, 4), (8, 5), (8, 7), (8, 8), (7, 8)] + (9..<15).map { (14 - $0, 8) }
    let far = (0..<8).map { (size - 1 - $0, 8) } + (8..<15).map { (8, size - 15 + $0) }
    for places in [near, far] {
      for (index, place) in places.enumerated() { reserve(place.0, place.1, bits >> index & 1 == 1) }
    }
    reserve(8, size - 8, true)
  }

  private mutating func drawVersion() {
    guard version >= 7 else { return }
    let bits = version << 12 | Self.remainder(of: version, bits: 12, by: 0x1F25)
    for index in 0..<18 {
      let (far, near) = (size - 11 + index % 3, index / 3)
      reserve(far, near, bits >> index & 1 == 1)
      reserve(near, far, bits >> index & 1 == 1)
    }
  }

  private static func remainder(of data: Int, bits: Int, by polynomial: Int) -> Int {
    (0..<bits).reduce(data) { rest, _ in (rest << 1) ^ ((rest >> (bits - 1)) * polynomial) }
  }

  // MARK: Data

  /// Draws the codewords in columns of two, up and down, from the right.
  private mutating func draw(_ codewords: [UInt8]) {
    var index = 0
    for column in stride(from: size - 1, through: 1, by: -2) {
      // The timing pattern has a column of its own.
      let right = column <= 6 ? column - 1 : column
      for step in 0..<size {
        let y = (right + 1) & 2 == 0 ? size - 1 - step : step
        for x in [right, right - 1] where !isReserved[y * size + x] && index < codewords.count * 8 {
          modules[y * size + x] = codewords[index / 8] >> (7 - index % 8) & 1 == 1
          index += 1
        }
      }
    }
  }

  // MARK: Masks

  private func masked(_ mask: Int) -> QRCode {
    var code = self
    for y in 0..<size {
      for x in 0..<size where !isReserved[y * size + x] && Self.inverts(mask, x, y) {
        code.modules[y * size + x].toggle()
      }
    }
    code.drawFormat(mask: mask)
    return code
  }

  private static func inverts(_ mask: Int, _ x: Int, _ y: Int) -> Bool {
    switch mask {
    case 0: (x + y) % 2 == 0
    case 1: y % 2 == 0
    case 2: x % 3 == 0
    case 3: (x + y) % 3 == 0
    case 4: (x / 3 + y / 2) % 2 == 0
    case 5: x * y % 2 + x * y % 3 == 0
    case 6: (x * y % 2 + x * y % 3) % 2 == 0
    default: ((x + y) % 2 + x * y % 3) % 2 == 0
    }
  }

  /// The measure of patterns that are hard to scan: long runs, squares, imitations of finders, and too much of one colour.
  private var penalty: Int {
    let rows = (0..<size).map { y in (0..<size).map { modules[y * size + $0] } }
    let columns = (0..<size).map { x in (0..<size).map { modules[$0 * size + x] } }
    let squares = zip(rows, rows.dropFirst()).map(Self.squares).reduce(0, +)
    let dark = modules.count(where: \.self) * 100 / modules.count
    let lines = (rows + columns).map(Self.penalty).reduce(0, +)
    return lines + squares * 3 + abs(dark - 50) / 5 * 10
  }

  /// Returns the number of squares of one colour in two rows.
  private static func squares(_ row: [Bool], _ next: [Bool]) -> Int {
    row.indices.dropFirst().count { x in row[x - 1] == row[x] && next[x - 1] == row[x] && next[x] == row[x] }
  }

  private static let imitations = ["10111010000", "00001011101"].map { $0.map { $0 == "1" } }

  private static func penalty(ofLine line: [Bool]) -> Int {
    let runs = line.split(separator: true).map(\.count) + line.split(separator: false).map(\.count)
    let imitated = line.indices.dropLast(10).count { imitations.contains(Array(line[$0..<$0 + 11])) }
    return runs.filter { $0 >= 5 }.reduce(0) { $0 + $1 - 2 } + imitated * 40
  }
}
