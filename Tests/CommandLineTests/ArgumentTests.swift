import Testing

@testable import CommandLine

@Suite("Options and arguments")
struct ArgumentTests {
  @Test(arguments: ["", "5 apples", "-3s"])
  func `a time limit that is not a duration is refused`(text: String) { #expect(TimeLimit(argument: text) == nil) }

  @Test(arguments: [("90s", 90), ("5m", 300), ("1h", 3600)])
  func `a time limit is parsed with its unit`(text: String, seconds: Int64) {
    #expect(TimeLimit(argument: text)?.duration == .seconds(seconds))
  }

  @Test func `an empty file name is refused`() { #expect(StorePath(argument: "") == nil) }
}
