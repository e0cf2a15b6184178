/// The matches of a shortest edit script, after Myers: divide at the middle of the script, solve both halves.
///
/// Past `costLimit` differences the division stops at the furthest point reached, which limits the time to the length times the
/// limit.
struct EditScript {
  private let first: [Int32]
  private let second: [Int32]
  private let costLimit: Int
  /// The furthest positions per diagonal, from the start and from the end.
  private var forward: [Int]
  private var backward: [Int]
  private let origin: Int

  init(_ first: [Int32], _ second: [Int32], costLimit: Int) {
    self.first = first
    self.second = second
    self.costLimit = costLimit
    origin = second.count + 1
    forward = Array(repeating: 0, count: first.count + second.count + 3)
    backward = forward
  }

  /// Calls `body` with the positions of equal elements.
  mutating func forEachMatch(_ body: (Int, Int) -> Void) {
    var pending = [(0..<first.count, 0..<second.count)]
    while let (left, right) = pending.popLast() {
      let (left, right) = trim(left, right, body)
      if left.isEmpty || right.isEmpty { continue }
      let (x, y) = middle(left, right)
      pending.append((x..<left.upperBound, y..<right.upperBound))
      pending.append((left.lowerBound..<x, right.lowerBound..<y))
    }
  }

  private func trim(
    _ left: Range<Int>, _ right: Range<Int>, _ body: (Int, Int) -> Void
  ) -> (Range<Int>, Range<Int>) {
    var (x, y, xEnd, yEnd) = (left.lowerBound, right.lowerBound, left.upperBound, right.upperBound)
    while x < xEnd, y < yEnd, first[x] == second[y] {
      body(x, y)
      x += 1
      y += 1
    }
    while x < xEnd, y < yEnd, first[xEnd - 1] == second[yEnd - 1] {
      xEnd -= 1
      yEnd -= 1
      body(xEnd, yEnd)
    }
    return (x..<xEnd, y..<yEnd)
  }

  /// Returns a point on a shortest script where the forward and backward searches meet.
  ///
  /// Both ends of the ranges differ, so the point is never a corner and both halves are smaller.
  private mutating func middle(_ left: Range<Int>, _ right: Range<Int>) -> (Int, Int) {
    let start = left.lowerBound - right.lowerBound
    let end = left.upperBound - right.upperBound
    let (lowest, highest) = (left.lowerBound - right.upperBound, left.upperBound - right.lowerBound)
    var ahead = Band(start, within: lowest...highest)
    var behind = Band(end, within: lowest...highest)
    forward[origin + start] = left.lowerBound
    backward[origin + end] = left.upperBound
    for cost in 1... {
      ahead.grow { forward[origin + $0] = -1 }
      for diagonal in ahead.diagonals {
        let x = advance(on: diagonal, left, right)
        if (start - end) % 2 != 0, behind.contains(diagonal), backward[origin + diagonal] <= x {
          return (x, x - diagonal)
        }
      }
      behind.grow { backward[origin + $0] = .max }
      for diagonal in behind.diagonals {
        let x = retreat(on: diagonal, left, right)
        if (start - end) % 2 == 0, ahead.contains(diagonal), x <= forward[origin + diagonal] {
          return (x, x - diagonal)
        }
      }
      if cost >= costLimit { break }
    }
    return furthest(of: ahead, left, right)
  }

  private mutating func advance(on diagonal: Int, _ left: Range<Int>, _ right: Range<Int>) -> Int {
    let (below, above) = (forward[origin + diagonal - 1], forward[origin + diagonal + 1])
    var x = below >= above ? below + 1 : above
    while x < left.upperBound, x - diagonal < right.upperBound, first[x] == second[x - diagonal] { x += 1 }
    forward[origin + diagonal] = x
    return x
  }

  private mutating func retreat(on diagonal: Int, _ left: Range<Int>, _ right: Range<Int>) -> Int {
    let (below, above) = (backward[origin + diagonal - 1], backward[origin + diagonal + 1])
    var x = below < above ? below : above - 1
    while x > left.lowerBound, x - diagonal > right.lowerBound, first[x - 1] == second[x - diagonal - 1] { x -= 1 }
    backward[origin + diagonal] = x
    return x
  }

  private func furthest(of band: Band, _ left: Range<Int>, _ right: Range<Int>) -> (Int, Int) {
    var best = (left.lowerBound, right.lowerBound)
    for diagonal in band.diagonals {
      let x = min(forward[origin + diagonal], left.upperBound, right.upperBound + diagonal)
      if x + x - diagonal > best.0 + best.1 { best = (x, x - diagonal) }
    }
    return best
  }
}

/// The diagonals that a search has reached: every second one of a range that grows by one on each side per step.
private struct Band {
  private let limits: ClosedRange<Int>
  private var low: Int
  private var high: Int

  init(_ diagonal: Int, within limits: ClosedRange<Int>) {
    self.limits = limits
    (low, high) = (diagonal, diagonal)
  }

  var diagonals: StrideTo<Int> { stride(from: low, to: high + 1, by: 2) }

  func contains(_ diagonal: Int) -> Bool { low <= diagonal && diagonal <= high }

  /// Grows by one on each side, or shrinks at a limit; `mark` receives the diagonals just outside.
  mutating func grow(_ mark: (Int) -> Void) {
    if low > limits.lowerBound {
      low -= 1
      mark(low - 1)
    } else {
      low += 1
    }
    if high < limits.upperBound {
      high += 1
      mark(high + 1)
    } else {
      high -= 1
    }
  }
}
