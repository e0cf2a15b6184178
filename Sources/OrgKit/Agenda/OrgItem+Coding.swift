/// An item as bytes, for an index. File and line are not part of them, so that they stay the same when the entry moves.
extension OrgItem {
  /// The bytes of the item.
  package var encoded: [UInt8] {
    var coder = ItemEncoder()
    coder.put(level)
    coder.put(path)
    coder.put(comments.count)
    for place in comments { coder.put(place) }
    coder.put(keyword)
    coder.put((isDone ? 1 : 0) | (isArchived ? 2 : 0))
    coder.put(priority)
    coder.put(tags)
    coder.put(inheritedTags)
    coder.put(category)
    coder.put(properties.count)
    for property in properties {
      coder.put(property.key)
      coder.put(property.value)
    }
    coder.put(deadline)
    coder.put(scheduled)
    coder.put(closed)
    coder.put(dates.count)
    for date in dates {
      coder.put(date.first)
      coder.put(date.last)
    }
    coder.put(expressions.count)
    for line in expressions { coder.put(line) }
    coder.put(log.count)
    for entry in log { coder.put(entry) }
    coder.put(priorities == OrgPriorities() ? 0 : 1)
    if priorities != OrgPriorities() {
      for value in [priorities.highest, priorities.lowest, priorities.usual] { coder.put(value) }
    }
    return coder.bytes
  }

  /// The item of some bytes; nil if they are not those of an item.
  package init?(encoded bytes: [UInt8], file: String, line: Int) {
    guard let facts = Facts(encoded: bytes, file: file, line: line) else { return nil }
    self.init(facts)
  }
}

extension OrgItem.Facts {
  fileprivate init?(encoded bytes: [UInt8], file: String, line: Int) {
    var coder = ItemDecoder(bytes)
    self.init(file: file, line: line, level: coder.number(), path: coder.strings(), category: "")
    comments = coder.list { $0.number() }
    keyword = coder.optionalString()
    let flags = coder.number()
    (isDone, isArchived) = (flags & 1 != 0, flags & 2 != 0)
    priority = coder.optionalString()
    tags = coder.strings()
    inheritedTags = coder.strings()
    category = coder.string()
    properties = coder.list { OrgItem.Property(key: $0.string(), value: $0.string()) }
    deadline = coder.plannedDate()
    scheduled = coder.plannedDate()
    closed = coder.stamp()
    dates = coder.list { coder in coder.stamp().map { OrgItem.Date(first: $0, last: coder.stamp()) } }.compactMap(
      \.self)
    expressions = coder.list { $0.diaryLine() }
    log = coder.list { $0.logEntry() }.compactMap(\.self)
    if coder.number() == 1 {
      (priorities.highest, priorities.lowest, priorities.usual) = (coder.number(), coder.number(), coder.number())
    }
    guard coder.isAtEnd else { return nil }
  }
}

/// Writes numbers as seven bits a byte with the sign first, and texts with their length in front.
private struct ItemEncoder {
  private(set) var bytes: [UInt8] = []

  init() { bytes.reserveCapacity(256) }

  mutating func put(_ number: Int) {
    var rest = UInt(bitPattern: number << 1 ^ number >> (Int.bitWidth - 1))
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func put(_ text: String) {
    put(text.utf8.count)
    bytes += text.utf8
  }

  mutating func put(_ text: String?) {
    put(text == nil ? 0 : 1)
    if let text { put(text) }
  }

  mutating func put(_ texts: [String]) {
    put(texts.count)
    for text in texts { put(text) }
  }

  mutating func put(_ stamp: OrgTimestamp?) {
    guard let stamp else { return put(0) }
    let flags = [
      true, stamp.isActive, stamp.time != nil, stamp.endTime != nil, stamp.repeater != nil, stamp.delay != nil,
    ]
    put(flags.enumerated().reduce(0) { $0 | ($1.element ? 1 << $1.offset : 0) })
    for number in [stamp.year, stamp.month, stamp.day] { put(number) }
    for time in [stamp.time, stamp.endTime].compactMap(\.self) {
      put(time.hour)
      put(time.minute)
    }
    for text in [stamp.repeater, stamp.delay].compactMap(\.self) { put(text) }
  }

  mutating func put(_ date: OrgPlannedDate?) {
    switch date {
    case .none: put(0)
    case .timestamp(let stamp):
      put(1)
      put(stamp)
    case .expression(let form, let rest):
      put(2)
      put(form)
      put(rest)
    }
  }

  mutating func put(_ line: OrgDiaryLine) {
    put(line.expression)
    put(line.text)
    put(line.isTimestamp ? 1 : 0)
    put(line.offset)
  }

  mutating func put(_ entry: OrgLogEntry) {
    switch entry.kind {
    case .clock(let end, let duration):
      put(0)
      put(end)
      put(duration)
    case .state(let state, let isDone):
      put(isDone ? 2 : 1)
      put(state)
    }
    put(entry.time)
    put(entry.note)
  }
}

/// Reads what ``ItemEncoder`` wrote. Bytes that end too early give zeros and empty texts, and no end.
private struct ItemDecoder {
  private let bytes: [UInt8]
  private var place = 0
  private var isBroken = false

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { !isBroken && place == bytes.count }

  mutating func number() -> Int {
    var (value, shift) = (UInt(0), 0)
    while place < bytes.count, shift < 64 {
      let byte = bytes[place]
      place += 1
      value |= UInt(byte & 0x7F) << UInt(shift)
      if byte < 0x80 { return Int(bitPattern: value >> 1) ^ -Int(value & 1) }
      shift += 7
    }
    isBroken = true
    return 0
  }

  mutating func string() -> String {
    let count = number()
    guard count >= 0, count <= bytes.count - place else {
      isBroken = true
      return ""
    }
    defer { place += count }
    return String(decoding: bytes[place..<(place + count)], as: UTF8.self)
  }

  mutating func optionalString() -> String? { number() == 0 ? nil : string() }

  mutating func list<Element>(_ element: (inout ItemDecoder) -> Element) -> [Element] {
    let count = number()
    guard count > 0, !isBroken, count <= bytes.count - place else {
      if count != 0 { isBroken = true }
      return []
    }
    return (0..<count).map { _ in element(&self) }
  }

  mutating func strings() -> [String] { list { $0.string() } }

  mutating func stamp() -> OrgTimestamp? {
    let flags = number()
    guard flags & 1 != 0 else { return nil }
    var stamp = OrgTimestamp(year: number(), month: number(), day: number(), isActive: flags & 2 != 0)
    if flags & 4 != 0 { stamp.time = OrgTimestamp.Time(hour: number(), minute: number()) }
    if flags & 8 != 0 { stamp.endTime = OrgTimestamp.Time(hour: number(), minute: number()) }
    if flags & 16 != 0 { stamp.repeater = string() }
    if flags & 32 != 0 { stamp.delay = string() }
    return stamp
  }

  mutating func plannedDate() -> OrgPlannedDate? {
    switch number() {
    case 1: stamp().map(OrgPlannedDate.timestamp)
    case 2: .expression(string(), rest: string())
    default: nil
    }
  }

  mutating func diaryLine() -> OrgDiaryLine {
    OrgDiaryLine(expression: string(), text: string(), isTimestamp: number() == 1, offset: number())
  }

  mutating func logEntry() -> OrgLogEntry? {
    let kind = number()
    let what: OrgLogEntry.Kind =
      kind == 0 ? .clock(end: stamp(), duration: optionalString()) : .state(string(), isDone: kind == 2)
    guard let time = stamp() else { return nil }
    return OrgLogEntry(kind: what, time: time, note: optionalString())
  }
}
