/// The clocked minutes of all entries of a buffer, with those of their children.
struct ClockSum {
  /// The minutes by the position of the headline; entries without clocks are missing.
  private(set) var minutes: [Int: Int] = [:]
  /// The minutes of all entries.
  private(set) var total = 0

  /// Sums the clock lines of a range of the text between two moments.
  ///
  /// - Parameter selects: returns true for entries whose own minutes count.
  init(
    _ buffer: OrgBuffer, _ zone: OrgZone, now: OrgMoment, in range: Range<Int>? = nil, from start: OrgMoment? = nil,
    to end: OrgMoment? = nil, selects: ((Int) -> Bool)? = nil
  ) {
    let clip = (start.map(zone.seconds), end.map(zone.seconds))
    let headings = buffer.headings(in: range ?? 0..<buffer.count)
    var open: [(level: Int, heading: Int)] = []
    for (index, heading) in headings.enumerated() {
      let level = buffer.level(at: heading) ?? 1
      while let last = open.last, last.level >= level { open.removeLast() }
      open.append((level, heading))
      let next = index + 1 < headings.count ? headings[index + 1] : range?.upperBound ?? buffer.count
      let own = Self.minutes(in: buffer.text[heading..<next], zone, clip)
      guard own > 0, selects?(heading) ?? true else { continue }
      for parent in open { minutes[parent.heading, default: 0] += own }
      total += own
    }
  }

  private static func minutes(in text: Bytes, _ zone: OrgZone, _ clip: (Int?, Int?)) -> Int {
    text.lines.reduce(0) { sum, line in
      let content = line.trimmedLeft
      guard content.starts(with: "CLOCK:".utf8) else { return sum }
      return sum + minutes(of: content, zone, clip)
    }
  }

  private static func minutes(of line: Bytes, _ zone: OrgZone, _ clip: (Int?, Int?)) -> Int {
    let stamps = line.inactiveTimestamps.compactMap { OrgTimestamp($0) }.map { OrgMoment($0) }
    if stamps.count >= 2 {
      let start = max(zone.seconds(of: stamps[0]), clip.0 ?? .min)
      let end = min(zone.seconds(of: stamps[1]), clip.1 ?? .max)
      return max(0, (end - start).quotient(by: 60))
    }
    guard stamps.isEmpty, let arrow = line.firstRange(of: Array("=>".utf8)) else { return 0 }
    return OrgDuration.minutes(line[arrow.upperBound...].trimmed.string) ?? 0
  }
}

/// Returns the clocked minutes of all entries of a file that have any, with those of their children.
public func clockedMinutes(
  in file: String, of files: inout OrgFileSet, _ context: OrgContext
) throws(Refusal) -> [(title: String, minutes: Int?)] {
  var editor = OrgEditor(files, context)
  try editor.open(file)
  let sum = ClockSum(editor.buffer, context.zone, now: context.now)
  files = editor.files
  return editor.buffer.headings.map { (editor.title($0), sum.minutes[$0]) }
}
