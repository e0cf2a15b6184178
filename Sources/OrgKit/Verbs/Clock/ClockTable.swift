/// The content of a block `clocktable`.
struct ClockTable {
  /// One headline with clocked time.
  struct Row {
    let level: Int
    let headline: String
    let tags: [String]
    let timestamp: String
    let minutes: Int
    let properties: [String: String]
  }

  /// The rows of one file.
  struct File {
    let name: String
    let minutes: Int
    let rows: [Row]
  }

  let files: [File]
  let parameters: OrgValue
  /// The period in words.
  let period: String?
  let isMultiFile: Bool
  let now: OrgMoment

  private func value(_ name: String) -> OrgValue { parameters.member(name) ?? .none }

  private var maxLevel: Int { value(":maxlevel").number ?? 2 }
  private var isCompact: Bool { value(":compact").isTrue }
  private var showsLevel: Bool { !isCompact && value(":level").isTrue }
  private var showsTimestamp: Bool { value(":timestamp").isTrue }
  private var showsTags: Bool { value(":tags").isTrue }
  private var properties: [String] { value(":properties").elements?.compactMap(\.text) ?? [] }
  private var isPercent: Bool { value(":formula") == .symbol("%") }
  private var total: Int { files.reduce(0) { $0 + $1.minutes } }

  private var timeColumns: Int {
    if isCompact || maxLevel < 2 { return 1 }
    let deepest = files.filter { $0.minutes != 0 }.flatMap(\.rows).map(\.level).max() ?? 1
    return min(maxLevel, value(":tcolumns").number ?? 100, deepest)
  }

  /// The greatest width of a headline; nil for no limit.
  private var narrowWidth: Int? {
    let narrow = parameters.member(":narrow") ?? .symbol("40!")
    return narrow.symbol.flatMap { $0.hasSuffix("!") ? Int(written: $0.dropLast()) : nil }
  }

  /// The lines of the block, above `#+END:`.
  var lines: [String] {
    let stamp = now.timestamp(isActive: false).description
    let header =
      value(":header").text?.split(separator: "\n").map(String.init)
      ?? ["#+CAPTION: Clock summary at \(stamp)" + (period.map { ", for \($0)." } ?? "")]
    return header + TableText.aligned(rows)
  }

  private var rows: [String] {
    let bars = String(repeating: "|", count: max(0, timeColumns - 1))
    var rows = [headRow(bars), "|-", totalRow(bars)]
    guard total > 0 else { return rows }
    for file in files where file.minutes > 0 || !value(":fileskip0").isTrue {
      rows.append("|-")
      if isMultiFile { rows.append(fileRow(file, bars)) }
      if maxLevel > 0 { rows += file.rows.map(entryRow) }
    }
    return rows
  }

  private func headRow(_ bars: String) -> String {
    "|" + (isMultiFile ? "File|" : "") + (showsLevel ? "L|" : "") + (showsTimestamp ? "Timestamp|" : "")
      + (showsTags ? "Tags |" : "") + properties.map { "\($0)|" }.joined() + "Headline|Time|" + bars
      + (isPercent ? "%|" : "")
  }

  /// The empty columns before the headline.
  private var leadingBars: String {
    String(
      repeating: "|",
      count: (showsLevel ? 1 : 0) + (showsTimestamp ? 1 : 0) + (showsTags ? 1 : 0) + properties.count)
  }

  private func totalRow(_ bars: String) -> String {
    "|" + (isMultiFile ? "| ALL " : "") + leadingBars + "*Total time*| *\(OrgDuration.clockText(total))*|" + bars
      + (isPercent ? total == 0 ? "0.0|" : "100.0|" : "")
  }

  private func fileRow(_ file: File, _ bars: String) -> String {
    "| \(file.name) | " + leadingBars.map { "\($0) " }.joined()
      + "*File time* | *\(OrgDuration.clockText(file.minutes))*|" + bars
      + (isPercent ? " \(percent(file.minutes)) |" : "")
  }

  private func entryRow(_ row: Row) -> String {
    let mark = value(":emphasize").isTrue ? row.level == 1 ? "*" : row.level == 2 ? "/" : "" : ""
    let indents = isCompact || (parameters.member(":indent") ?? .yes).isTrue
    let indentation = indents && row.level > 1 ? "\\_" + String(repeating: " ", count: 2 * (row.level - 1)) : ""
    return "|" + (isMultiFile ? "|" : "") + (showsLevel ? "\(row.level)|" : "")
      + (showsTimestamp ? "\(row.timestamp)|" : "")
      + (showsTags ? row.tags.joined(separator: ", ") + "|" : "")
      + properties.map { "\(row.properties[$0] ?? "")|" }.joined() + indentation
      + "\(mark)\(shortened(row.headline))\(mark) |"
      + String(repeating: "|", count: max(0, min(timeColumns, row.level) - 1))
      + "\(mark)\(OrgDuration.clockText(row.minutes))\(mark) |"
      + String(repeating: "|", count: max(0, timeColumns - row.level)) + (isPercent ? "\(percent(row.minutes)) |" : "")
  }

  private func shortened(_ headline: String) -> String {
    guard let width = narrowWidth else { return headline }
    if let match = headline.wholeMatch(of: /\[\[(.*?)\]\[(.*)\]\]/) {
      return "[[\(match.1)][\(Self.short(String(match.2), width))]]"
    }
    return Self.short(headline, width)
  }

  private static func short(_ text: String, _ width: Int) -> String {
    text.count <= width ? text : String(text.prefix(max(0, width - 4))) + "..."
  }

  private func percent(_ minutes: Int) -> String {
    guard total > 0 else { return "0.0" }
    // One decimal, rounded to even as C does it for exact halves.
    let tenths = (1000 * Double(minutes) / Double(total)).rounded(.toNearestOrEven)
    return "\(Int(tenths) / 10).\(Int(tenths) % 10)"
  }
}

extension OrgDuration {
  /// Returns a duration as clock tables show it: `1:25`, `1d 2:05`.
  static func clockText(_ minutes: Int) -> String {
    minutes >= 1440 ? "\(minutes / 1440)d \(text(minutes % 1440))" : text(minutes)
  }
}
