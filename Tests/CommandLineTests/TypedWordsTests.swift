import ArgumentParser
import Testing

@testable import CommandLine

@Suite("Dates on the command line")
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
      ("2026-13-01", "\"2026-13-01\" is not understood"), ("2026-02-30", "2026-02-30 is not a day that exists"),
      ("2027-02-29 10:00", "2027-02-29 is not a day that exists"), ("fri +1w", "use --repeat"),
      ("10:00 2026-03-12", "\"2026-03-12\" is not understood"), ("+2h", "\"+2h\" is not understood"),
      ("32 feb", "\"32\" is not understood"), ("tues", "\"tues\" is not understood"), ("", "the date is empty"),
      ("next week", "\"next\" is not understood"), ("<2026-03-12>", "\"<2026-03-12>\" is not understood"),
    ])
  func refusals(text: String, message: String) throws {
    let error = try #require(throws: ValidationError.self) { try TypedWords(date: text) }
    #expect(error.message.contains(message), "\(error.message)")
  }
}
