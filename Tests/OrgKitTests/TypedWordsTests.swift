import OrgKit
import Testing

@Suite("Dates that are typed where no calendar is shown")
struct TypedWordsTests {
  @Test(
    "a date that Org reads is passed on",
    arguments: [
      ".", "+2d", "++1w", "-fri", "+2tue", "fri", "Friday 10:00", "15 feb", "15 Feb 2027", "feb 15, 9:30", "2026-03-12",
      "3-12", "26-3-12", "2026-w20", "w20-3", "12.3.", "12.3.2026", "12. 3. 2026", "3/12", "3/12/26", "10:00-11:30",
      "2026-03-12 10:00--11:30", "10:00+1:30", "9am", "9:30pm", "9am-10am", "14h", "14h30", "24:00", "2028-02-29", "7",
    ])
  func dates(text: String) throws {
    #expect(try TypedWords(date: text).text == text)
  }

  @Test(
    "the words that Org does not know are translated",
    arguments: [
      ("today", "+0"), ("Tomorrow 10:00", "+1d 10:00"), ("yesterday", "-1d"), ("fri noon", "fri 12:00"),
      (" fri   midnight ", "fri 0:00"),
    ])
  func translation(text: String, expected: String) throws {
    #expect(try TypedWords(date: text).text == expected)
  }

  @Test(
    "a date with a word that Org would ignore is refused with that word",
    arguments: [
      ("tomorow", "\"tomorow\" is not understood"), ("20261224", "\"20261224\" is not understood"),
      ("fri 25:00", "\"25:00\" is not understood"), ("fri 9:75", "\"9:75\" is not understood"),
      ("2026-13-01", "\"2026-13-01\" is not understood"), ("fri +1w", "\"+1w\" is not understood"),
      ("24:30", "\"24:30\" is not understood"), ("foo", "\"foo\" is not understood"),
      ("10:00 2026-03-12", "\"2026-03-12\" is not understood"), ("+2h", "\"+2h\" is not understood"),
      ("32 feb", "\"32\" is not understood"), ("tues", "\"tues\" is not understood"), ("", "the date is empty"),
      ("next week", "\"next\" is not understood"), ("<2026-03-12>", "\"<2026-03-12>\" is not understood"),
    ])
  func refusals(text: String, message: String) throws {
    let error = try #require(throws: Refusal.self) { try TypedWords(date: text) }
    #expect(error.description.contains(message), "\(error.description)")
  }

  private let reader = OrgDateReader(now: OrgMoment(year: 2026, month: 11, day: 29, hour: 14))

  @Test(
    "a day or week that does not exist, and a year that Org would replace, are refused in every form",
    arguments: [
      ("31 feb", "2027-02-31 is not a day that exists"), ("feb 30 10:00", "2027-02-30 is not"),
      ("31 apr", "2027-04-31 is not"),
      ("2/30", "2027-02-30 is not"), ("2/30/2028", "2028-02-30 is not"), ("30.2.", "2027-02-30 is not"),
      ("31.4.2027", "2027-04-31 is not"), ("2-30", "2027-02-30 is not"), ("2026-02-30", "2026-02-30 is not"),
      ("2027-02-29 10:00", "2027-02-29 is not"), ("29 feb", "2027-02-29 is not"), ("feb", "2027-02-29 is not"),
      ("31", "2026-11-31 is not"), ("<2026-02-30 Mon>", "2026-02-30 is not"), ("<2026-11-31 Tue 99:99>", "\"99:99\""),
      ("<2026-12-01 Tue foo>", "\"foo\" is not understood"), ("2026-W54", "week 54 of 2026 is not"),
      ("2025-W53", "week 53 of 2025 is not"), ("2026-w0", "week 0 of 2026 is not"),
      ("2050-01-01", "a year that Org does not write"), ("+20y", "a year that Org does not write"),
    ])
  func missing(text: String, message: String) throws {
    let error = try #require(throws: Refusal.self) { try reader.readStrictly(text) }
    #expect(error.description.contains(message), "\(error.description)")
  }

  @Test(
    "a day that exists is the one that Org reads",
    arguments: [
      ("15 feb", "2027-02-15"), ("29 feb 2028", "2028-02-29"), ("30", "2026-11-30"), ("28", "2026-12-28"),
      ("2026-W53", "2026-12-28"), ("w1-3", "2025-12-31"), ("2/28", "2027-02-28"), ("+1m", "2026-12-29"),
      ("tomorrow", "2026-11-30"), ("<2026-12-01 Di 10:00 +1w -2d>", "2026-12-01"), ("fri", "2026-12-04"),
    ])
  func days(text: String, expected: String) throws {
    #expect(try reader.readStrictly(text).moment.day.iso.hasPrefix(expected))
  }

  @Test("the user's variables allow years that Org does not write by default")
  func years() throws {
    let settings: OrgSettings = ["org-read-date-force-compatible-dates": OrgValue.none]
    let reader = OrgDateReader(now: OrgMoment(year: 2026, month: 11, day: 29), settings: settings)
    #expect(try reader.readStrictly("2050-01-01").moment.day.iso == "2050-01-01")
  }

  @Test("a repeater and a warning period have a number and a unit")
  func cookies() {
    for text in ["+1w", "++1m", ".+2d", ".+2d/4d", "+4h"] { #expect(TypedStamp.isRepeater(text), "\(text)") }
    for text in ["1w", "+w", "+1", "+1foo", "-1d", ""] { #expect(!TypedStamp.isRepeater(text), "\(text)") }
    for text in ["-3d", "--1w"] { #expect(TypedStamp.isWarning(text), "\(text)") }
    for text in ["3d", "-d", "-3", "-3foo", "+3d"] { #expect(!TypedStamp.isWarning(text), "\(text)") }
  }
}
