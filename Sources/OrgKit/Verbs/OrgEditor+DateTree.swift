/// The levels of a date tree.
enum DateTreeKind {
  /// Year, month, day.
  case day
  /// ISO year, week, day.
  case week
  /// Year, month.
  case month
}

extension OrgEditor {
  /// Adds a text below the headline of a day.
  mutating func insertIntoDateTree(_ day: OrgDay, _ text: String) throws(Refusal) {
    let node = dateTreeNode(day, .day, below: nil)
    buffer.insert("\n" + text, at: buffer.lineEnd(node))
    heading = node
  }

  /// Returns the headline of a day, week or month in a date tree, which is made if missing.
  ///
  /// - Parameter parent: the entry that has the tree; nil for the file, or its entry with the property `DATE_TREE`.
  mutating func dateTreeNode(_ day: OrgDay, _ kind: DateTreeKind, below parent: Int?) -> Int {
    let parent = parent ?? entryWithTree(kind == .week ? "WEEK_TREE" : "DATE_TREE")
    let level = parent.flatMap { buffer.level(at: $0) }.map { $0 + 1 } ?? 1
    let (year, month, date) = day.date
    let monthName = "\(year)-\(Self.padded(month)) \(OrgNames.months[month - 1])"
    let dayName = "\(year)-\(Self.padded(month))-\(Self.padded(date)) \(OrgNames.weekdays[day.weekday - 1])"
    let thursday = OrgDay(number: day.number + 4 - day.weekday)
    let weekYear = thursday.date.year
    let names =
      switch kind {
      case .day: [(String(year), year), (monthName, month), (dayName, date)]
      case .month: [(String(year), year), (monthName, month)]
      case .week: [(String(weekYear), weekYear), ("\(weekYear)-W\(Self.padded(day.week))", day.week), (dayName, date)]
      }
    var node = parent
    for (depth, name) in names.enumerated() {
      node = treeChild(name.0, number: name.1, level: level + depth, below: node, isYear: depth == 0)
    }
    return node ?? 0
  }

  private func entryWithTree(_ property: String) -> Int? {
    buffer.headings.first { heading in
      buffer.properties(heading).contains { $0.key.lowercased == Array(property.lowercased().utf8) }
    }
  }

  /// Finds the headline of a year, month, week or day in the order of numbers, or inserts it.
  private mutating func treeChild(_ name: String, number: Int, level: Int, below parent: Int?, isYear: Bool) -> Int {
    let end = parent.map(buffer.subtreeEnd) ?? buffer.count
    let prefix = isYear ? "" : String(name.prefix { $0 != " " }.dropLast(2))
    for heading in buffer.headings(in: (parent.map(buffer.nextLine) ?? 0)..<max(end, parent.map(buffer.nextLine) ?? 0))
    {
      guard let found = treeNumber(heading, prefix, isYear: isYear) else { continue }
      if found == number { return heading }
      if found > number { return insertTreeLine(name, level: level, at: heading) }
    }
    return insertTreeLine(name, level: level, at: end)
  }

  /// Returns the number of a year, or of a month, week or day behind a prefix.
  private mutating func treeNumber(_ heading: Int, _ prefix: String, isYear: Bool) -> Int? {
    let words = title(heading).split(separator: " ").map(String.init)
    guard let first = words.first, first.hasPrefix(prefix) else { return nil }
    let digits = first.dropFirst(prefix.count)
    guard digits.allSatisfy(\.isNumber), digits.count == (isYear ? 4 : 2), words.count <= (isYear ? 1 : 2) else {
      return nil
    }
    return Int(written: digits)
  }

  /// Inserts a headline, in Org 9.5 below an empty line.
  private mutating func insertTreeLine(_ name: String, level: Int, at position: Int) -> Int {
    let start = buffer.skipWhiteSpaceBackwards(position)
    let gap = position > start ? buffer.text[start..<position].filter { $0 == .newline }.count : 0
    let blank = hasOldLayout || gap > 1 && hasBlankLinesInTree ? "\n" : ""
    let stars = String(repeating: "*", count: level)
    let head = start == 0 && !hasOldLayout ? "" : blank + "\n"
    buffer.replace(start..<position, with: "\(head)\(stars) \(name)\n")
    return start + head.utf8.count
  }

  /// True if the file separates headlines by blank lines.
  private var hasBlankLinesInTree: Bool {
    buffer.headings.dropFirst().contains { buffer.isBlankLine($0 - 1) }
  }

  private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// English names, as Org writes them in the locale C.
enum OrgNames {
  static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
  static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
  ]
}
