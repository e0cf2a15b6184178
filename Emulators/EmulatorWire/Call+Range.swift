extension Call {
  /// The bytes that the header `Range` requests of a content, such as `bytes=10-19`; empty if the content has no such bytes, nil
  /// without a valid header.
  package func range(of count: Int) -> Range<Int>? {
    guard let text = headers["range"], text.hasPrefix("bytes=") else { return nil }
    let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard ends.count == 2 else { return nil }
    switch (ends[0], ends[1]) {
    case (let first?, let last): return first..<max(first, min((last ?? count - 1) + 1, count))
    case (nil, let last?): return max(0, count - last)..<count
    default: return nil
    }
  }
}
