extension OrgEditor {
  /// Moves the `nth` timestamp at or below the headline.
  mutating func shiftTimestamp(by amount: Int, _ unit: OrgTimeUnit, nth: Int) throws(Refusal) {
    let heading = try entry()
    let end = buffer.subtreeEnd(heading)
    var position = heading
    var found: Range<Int>?
    for _ in 0..<max(1, nth) {
      guard let stamp = Self.nextTimestamp(in: buffer.text[position..<end]) else {
        throw Refusal(.notFound, "the entry has no timestamp number \(nth)")
      }
      found = stamp
      position = stamp.upperBound
    }
    guard let found else { return }
    let shift = TimestampShift(amount: amount, unit: unit, zone: context.zone)
    addShortMonthHint(found, shift)
    if let new = shift.apply(to: buffer.text[found]) { buffer.replace(found, with: new) }
    updateClock(at: found.lowerBound)
  }

  /// Reports that a month lacks the day, so that the date runs over.
  mutating func addShortMonthHint(_ stamp: Range<Int>, _ shift: TimestampShift) {
    guard shift.unit == .month || shift.unit == .year, let old = OrgTimestamp(buffer.text[stamp]) else { return }
    let (years, months) = shift.unit == .year ? (shift.amount, 0) : (0, shift.amount)
    let new = OrgDay(year: old.year + years, month: old.month + months, day: old.day)
    if new.date.day != old.day {
      let date = new.date
      effects.append(.hint("the month has no day \(old.day); the date becomes \(date.year)-\(date.month)-\(date.day)"))
    }
  }

  /// Returns the first active or inactive timestamp.
  static func nextTimestamp(in text: Bytes) -> Range<Int>? {
    let stamps = [text.firstTimestamp(isActive: true), text.firstTimestamp(isActive: false)]
    return stamps.compactMap(\.self).min { $0.startIndex < $1.startIndex }.map { $0.startIndex..<$0.endIndex }
  }

  /// Makes the first timestamp at or below the place active or inactive.
  mutating func toggleTimestampType() throws(Refusal) {
    var start = line
    if start == nil { start = try entry() }
    guard let stamp = Self.nextTimestamp(in: buffer.text[(start ?? 0)...]) else {
      throw Refusal(.notFound, "no timestamp at this place")
    }
    let brackets: [UInt8: UInt8] = [
      UInt8(ascii: "<"): UInt8(ascii: "["), UInt8(ascii: ">"): UInt8(ascii: "]"),
      UInt8(ascii: "["): UInt8(ascii: "<"), UInt8(ascii: "]"): UInt8(ascii: ">"),
    ]
    buffer.replace(stamp, with: buffer.text[stamp].map { brackets[$0] ?? $0 })
  }
}
