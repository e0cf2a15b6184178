/// The number of occurrences of each number in two ranges; one allocation serves all rounds of an alignment.
struct OccurrenceCounts {
  private var left: [Int32]
  private var right: [Int32]
  private var place: [Int]

  init(symbols: Int) {
    left = Array(repeating: 0, count: symbols)
    right = left
    place = Array(repeating: 0, count: symbols)
  }

  /// Returns the longest increasing sequence of pairs of elements that occur exactly once on both sides.
  mutating func anchors(
    _ first: [Int32], _ leftRange: Range<Int>, _ second: [Int32], _ rightRange: Range<Int>
  ) -> [(first: Int, second: Int)] {
    count(first, leftRange, second, rightRange)
    defer { forget(first, leftRange, second, rightRange) }
    let unique = leftRange.compactMap { index -> (first: Int, second: Int)? in
      let symbol = Int(first[index])
      return left[symbol] == 1 && right[symbol] == 1 ? (index, place[symbol]) : nil
    }
    return longestRise(unique.map(\.second)).map { unique[$0] }
  }

  /// Returns the positions of the elements that occur on both sides.
  mutating func shared(
    _ first: [Int32], _ leftRange: Range<Int>, _ second: [Int32], _ rightRange: Range<Int>
  ) -> ([Int], [Int]) {
    count(first, leftRange, second, rightRange)
    defer { forget(first, leftRange, second, rightRange) }
    return (
      leftRange.filter { right[Int(first[$0])] > 0 },
      rightRange.filter { left[Int(second[$0])] > 0 }
    )
  }

  private mutating func count(
    _ first: [Int32], _ leftRange: Range<Int>, _ second: [Int32], _ rightRange: Range<Int>
  ) {
    for index in leftRange { left[Int(first[index])] += 1 }
    for index in rightRange {
      right[Int(second[index])] += 1
      place[Int(second[index])] = index
    }
  }

  private mutating func forget(
    _ first: [Int32], _ leftRange: Range<Int>, _ second: [Int32], _ rightRange: Range<Int>
  ) {
    for index in leftRange { left[Int(first[index])] = 0 }
    for index in rightRange { right[Int(second[index])] = 0 }
  }
}

/// Returns the positions of a longest strictly increasing subsequence of `values`, in O(n log n).
func longestRise(_ values: [Int]) -> [Int] {
  var tails: [Int] = []
  var previous = Array(repeating: -1, count: values.count)
  for (index, value) in values.enumerated() {
    let length = tails.partition(where: { values[$0] >= value })
    if length > 0 { previous[index] = tails[length - 1] }
    if length == tails.count { tails.append(index) } else { tails[length] = index }
  }
  var rise: [Int] = []
  var next = tails.last ?? -1
  while next >= 0 {
    rise.append(next)
    next = previous[next]
  }
  return rise.reversed()
}

extension Array {
  /// Returns the first position from which `belongs` holds; it must hold for a tail of the array.
  func partition(where belongs: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if belongs(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
