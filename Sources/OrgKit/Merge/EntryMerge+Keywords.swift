extension EntryMerge {
  /// Merges a `#+KEY: value` line that all versions have once.
  mutating func keywordLine(_ key: [UInt8], _ lines: Three<[Bytes]>) -> [Piece]? {
    if let settled = TextMerge.settled(lines, key: \.collapsed) { return Piece.lines(settled) }
    let read = lines.map { $0.count == 1 ? KeywordLine($0[0]) : nil }
    guard read.ours != nil, read.theirs != nil else { return nil }
    let values = read.map { $0?.value ?? [] }
    let start = lines.zip(read).map { lines, read in read.map { lines[0].start(before: $0.value) } }.layout
    if key.elementsEqual("filetags".utf8) {
      let tags = Self.members(values.map { $0.parts { $0 == .colon || $0.isBlank } })
      return [.line(start + ([.colon] + tags.joined(separator: [.colon]) + [.colon]))]
    }
    if let setting = KeyedTokens.Setting(key), values.all.allSatisfy(setting.isList) {
      return keyedWords(setting, key, values, start, lines)
    }
    if values.base.words.count >= 3, options.mergesWords, let merged = WordMerge.merge(values) {
      return [.line(start + merged)]
    }
    return disputedKeywordLine(key, values, lines)
  }

  /// Merges a line that one side changed and the other removed: the change stays, flagged.
  mutating func removedKeywordLine(_ key: [UInt8], _ side: Block, _ lines: Three<[Bytes]>) -> [Piece] {
    let value = side.lines.first.flatMap { KeywordLine($0) }?.value ?? []
    record(FieldConflict(.body, headerName(key), standing: Array(value), other: nil))
    return [.disputed(shown: Array(side.lines), lines)]
  }

  private mutating func disputedKeywordLine(_ key: [UInt8], _ values: Three<Bytes>, _ lines: Three<[Bytes]>) -> [Piece]
  {
    let isOursFirst = !precedes(values.theirs, values.ours)
    let (standing, other) = isOursFirst ? (values.ours, values.theirs) : (values.theirs, values.ours)
    record(FieldConflict(.body, headerName(key), standing: Array(standing), other: Array(other)))
    return [.disputed(shown: isOursFirst ? lines.ours : lines.theirs, lines)]
  }

  private func headerName(_ key: [UInt8]) -> [UInt8] { Array("header ".utf8) + Array(key.string.uppercased().utf8) }
}

// MARK: - Lists of words

extension EntryMerge {
  /// Merges a list of settings with one value each; values that both sides set differently are flagged.
  private mutating func keyedWords(
    _ setting: KeyedTokens.Setting, _ key: [UInt8], _ values: Three<Bytes>, _ start: Bytes, _ lines: Three<[Bytes]>
  ) -> [Piece] {
    let versions = values.map { KeyedTokens($0, setting) }
    let names = Set(versions.all.flatMap(\.order)).sorted { precedes($0, $1) }
    var words: [Int: Bytes] = [:]
    let before = conflicts.count
    for (number, name) in names.enumerated() {
      words[number] = keyedWord(versions.map { $0.words[name] }, key)
    }
    let numbers = Dictionary(uniqueKeysWithValues: zip(names, names.indices))
    let orders = versions.map { $0.order.compactMap { numbers[$0] } }
    func line(_ words: [Int: Bytes]) -> Bytes {
      let order = SequenceMerge.merge(
        orders, survivors: Set(words.keys), insertions: .sorted, text: { Array(words[$0] ?? []) })
      return start + Array(order.compactMap { words[$0] }.joined(separator: [.space]))
    }
    if conflicts.count == before { return [.line(line(words))] }
    let disputed = names.indices.filter { number in versions.map { $0.words[names[number]] }.settled == nil }
    let variants = versions.map { version in
      var words = words
      for number in disputed { words[number] = version.words[names[number]] }
      return [line(words)]
    }
    return [.disputed(shown: [line(words)], lines.zip(variants).map { $0.isEmpty ? [] : $1 })]
  }

  /// Returns the word for one setting; nil for none.
  private mutating func keyedWord(_ values: Three<Bytes?>, _ key: [UInt8]) -> Bytes? {
    if let settled = values.settled { return settled }
    let sides = values.sides.sorted { one, other in
      guard let one, let other else { return one != nil }
      return precedes(one, other)
    }
    record(
      FieldConflict(.body, headerName(key), standing: sides[0].map { Array($0) }, other: sides[1].map { Array($0) }))
    return sides[0]
  }
}

/// The words of a setting such as `#+OPTIONS: toc:nil`, by what they set.
struct KeyedTokens {
  private(set) var words: [[UInt8]: Bytes] = [:]
  private(set) var order: [[UInt8]] = []

  init(_ value: Bytes, _ setting: Setting) {
    for word in value.words {
      let name = setting.name(of: word)
      if words.updateValue(word, forKey: name) == nil { order.append(name) }
    }
  }

  /// The keywords whose values are lists of words.
  enum Setting: String {
    case startup, options, tags, todo
    case sequence = "seq_todo"
    case types = "typ_todo"

    init?(_ key: [UInt8]) {
      self.init(rawValue: key.string)
    }

    /// Returns true if the order of the words has no meaning; it does between the braces of a tag group.
    func isList(_ value: Bytes) -> Bool {
      self != .tags || !value.contains { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }
    }

    /// Returns what a word sets: `toc` for `toc:nil`, the keyword for `TODO(t)`, or a group of mutually exclusive words.
    func name(of word: Bytes) -> [UInt8] {
      switch self {
      case .options: Array(word.firstIndex(of: .colon).map { word[...$0] } ?? word)
      case .startup: Self.choices.first { $0.contains(word.string) }.map { Array($0[0].utf8) } ?? Array(word)
      default: Array(word.prefix { $0 != UInt8(ascii: "(") })
      }
    }

    // The mutually exclusive values of `org-startup-options`.
    private static let choices = [
      [
        "fold", "overview", "nofold", "showall", "content", "show2levels", "show3levels", "show4levels", "show5levels",
        "showeverything",
      ],
      ["indent", "noindent"], ["hidestars", "showstars"], ["odd", "oddeven"], ["align", "noalign"],
      ["shrink", "noshrink"], ["inlineimages", "noinlineimages"], ["latexpreview", "nolatexpreview"],
      ["num", "nonum"], ["hideblocks", "nohideblocks"], ["customtime", "nocustomtime"],
      ["logdone", "lognotedone", "nologdone"], ["logrepeat", "lognoterepeat", "nologrepeat"],
      ["logreschedule", "lognotereschedule", "nologreschedule"],
      ["logredeadline", "lognoteredeadline", "nologredeadline"], ["logrefile", "lognoterefile", "nologrefile"],
      ["logdrawer", "nologdrawer"], ["logstatesreversed", "nologstatesreversed"], ["entitiespretty", "entitiesplain"],
      ["fninline", "nofninline", "fnlocal"], ["fnprompt", "fnauto", "fnconfirm", "fnplain"],
    ]
  }
}
