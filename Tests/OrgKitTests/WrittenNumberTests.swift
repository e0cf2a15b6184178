import Foundation
import Testing

@testable import OrgKit

/// Numbers and brackets of other people's files and requests, however great: Swift would end the program where a calculation
/// overflows or the stack ends.
@Suite("Numbers without bounds") struct WrittenNumberTests {
  private static let numbers = [
    "9223372036854775807", "-9223372036854775808", "9223372036854775806", "1537228672809129302", "99999999999999999999",
    "1000000000", "-1000000000", "0", "-1",
  ]
  private static let now = OrgMoment(year: 2026, month: 3, day: 10, hour: 12)

  @Test("diary expressions", arguments: numbers)
  func diary(number: String) {
    let forms = [
      "(diary-block 1 1 N 1 1 2027)", "(diary-block N 1 2026 N 1 2027)", "(org-block 2026 1 1 2027 N 1)",
      "(diary-float t 1 N)", "(diary-float t N 1)", "(diary-float N 1 1 N)", "(diary-cyclic N 1 1 2026)",
      "(org-cyclic 3 N 1 1)", "(org-cyclic N N N N)", "(diary-anniversary 1 1 N)", "(org-anniversary N 3 10)",
      "(diary-date N N N)", "(org-class N 1 1 2027 1 1 2 N)",
    ]
    for form in forms {
      _ = DiaryExpression(form.replacing("N", with: number))?.entry("%d %s", on: Self.now.day)
    }
  }

  @Test("queries", arguments: numbers)
  func queries(number: String) throws {
    let words = ["scheduled", "deadline", "closed", "event", "created"].flatMap { field in
      "dwmyh".flatMap { unit in ["\(field):\(number)\(unit)", "\(field):<\(number)\(unit)", "\(field).\(number)"] }
    }
    for word in words + ["ad.\(number)", "match:SCHEDULED<\"<\(number)w>\"", "match:DEADLINE>\"<+\(number)y>\""] {
      if let query = try? OrgQuery(word) {
        _ = try? query.select([], now: Self.now) { _ in "" }
      }
    }
    for unit in "dwmyh" { _ = QueryDate(number + String(unit))?.moment(Self.now) }
    for unit in "hdwmy" { _ = MatchedTime.seconds(of: "<+\(number)\(unit)>", now: Self.now) }
  }

  @Test("dates and durations", arguments: numbers)
  func dates(number: String) {
    for text in ["\(number)-01-01", "2026-\(number)-01", "2026-01-\(number)"] {
      _ = OrgDay(iso: text)
      _ = OrgMoment(text + " 10:00")
    }
    for unit in ["", "d", "w", "m", "y", "h", "mon", "sun"] {
      for sign in ["+", "-", "++", "--", ""] {
        _ = try? OrgDateReader(now: Self.now).read("\(sign)\(number)\(unit)")
      }
    }
    for text in [number, "\(number):\(number)", "\(number)h", "\(number)y", "\(number):00:00"] {
      _ = OrgDuration.minutes(text)
    }
    if let number = Int(number) {
      let day = OrgDay(year: number, month: number, day: number)
      _ = (day.date, day.weekday, day.week, OrgMoment(day: day).wallMinutes)
    }
  }

  @Test(
    "durations that are not numbers",
    arguments: ["inf", "-inf", "nan", "1e30:00", "1e308y", "infinity:nan", "0x1p1000h"])
  func endless(text: String) { #expect(OrgDuration.minutes(text) == nil) }

  @Test("brackets in brackets", arguments: ["(", "'", "(a . (", "#'("])
  func nested(bracket: String) {
    let text = String(repeating: bracket, count: 20_000)
    #expect(OrgValue(lisp: text) == nil)
    #expect(throws: OrgQueryError.self) { try OrgQuery(String(repeating: "( ", count: 20_000)) }
    #expect(OrgValue(lisp: "(" + String(repeating: "a ", count: 20_000) + ". b)") == nil)
    #expect(OrgValue(lisp: String(repeating: "(", count: 50) + "a" + String(repeating: ")", count: 50)) != nil)
  }
}
