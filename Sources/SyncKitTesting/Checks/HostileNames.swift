import SyncKit

/// Names that made other tools lose files.
enum HostileNames {
  /// All of them; each is the name of one file and contains no separator.
  static let all: [[UInt8]] = texts.map { Array($0.utf8) } + notText + long

  private static let texts = [
    // Characters with a meaning in shells, URLs and forms.
    "two words", "  double  spaces", "\"quoted\"", "'single'", "`ticks`", "$(command)", "${variable}", "%41", "%2F",
    "%00", "%", "100%25", "a#b", "#a", "a?b", "a+b", "a&b", "a;b", "a=b", "a:b", "C:", "a|b", "a<b>", "a*b", "[a]",
    "{a,b}", "~",
    "~user", "!a", "a,b", "a@b", "^a", "a\\b", "\\", "..\\up",
    // Control characters.
    "line\nbreak", "a\rb", "tab\there", "bell\u{7}", "escape\u{1B}[31m", "delete\u{7F}", "\u{85}next line",
    // Names that look like an option, a hidden file or nothing.
    "-", "--", "-rf", "--help", ".hidden", "...", "..a", "a..", "a.", ".a.", " a", "a ", " ", "\u{A0}", "\u{FEFF}a",
    // Names that other systems reserve.
    "CON", "nul.org", "COM1", "desktop.ini", "Thumbs.db", ".DS_Store", "Icon\r", "lost+found",
    // Names that are equal to Unicode, or look equal to people.
    "\u{E9}t\u{E9}.org", "e\u{301}te\u{301}.org", "\u{212B}", "\u{C5}", "A\u{30A}", "\u{FB01}n", "fin", "K", "\u{212A}",
    "\u{430}.org", "a.org", "A.org", "stra\u{DF}e", "STRASSE", "\u{130}", "i\u{307}", "a\u{200D}b", "\u{202E}gro.a",
    // Characters beyond the first plane.
    "\u{1F4D3}.org", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{65E5}\u{8A18}.org",
  ]

  /// Bytes that are not UTF-8: stray, truncated, overlong, a surrogate.
  private static let notText: [[UInt8]] = [
    [0xFF], [0x61, 0x80, 0x62], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], Array("latin-".utf8) + [0xE9],
  ]

  private static let long: [[UInt8]] = [
    Array(repeating: UInt8(ascii: "x"), count: 255),
    Array(String(repeating: "\u{E9}", count: 127).utf8),
    Array(repeating: UInt8(ascii: "y"), count: 256),
  ]
}
