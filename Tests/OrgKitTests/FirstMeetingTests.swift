import OrgKit
import Testing

@Suite("Merges without a base")
struct FirstMeetingTests {
  @Test("short entries with one title are flagged, however few words they share")
  func short() {
    let flag = ":CONFLICT:\n- [X] entry: phone 123\n- [X] entry: phone 456\n:END:\n"
    expect(
      "* Ada\nphone 123\n* Bob\nmail\n", "* Ada\nphone 456\n* Bob\nmail\n",
      "* Ada :CONFLICT:\n\(flag)phone 123\n* Ada :CONFLICT:\n\(flag)phone 456\n* Bob\nmail\n", .conflict)
  }

  @Test("an entry that another one continues is listed by its last line")
  func continued() {
    let flag = ":CONFLICT:\n- [X] entry: - salt\n- [X] entry: - tea\n:END:\n"
    let short = "- milk\n- bread\n- salt\n"
    expect(
      "* Shop\n" + short, "* Shop\n\(short)- tea\n- oil\n",
      "* Shop :CONFLICT:\n\(flag)\(short)* Shop :CONFLICT:\n\(flag)\(short)- tea\n- oil\n", .conflict)
  }

  @Test("long entries with one title and different texts are two")
  func long() {
    let one = "* Notes\nA quite different note about the meeting with Ann in Rome.\n"
    let other = "* Notes\nThe brown fox jumps over the lazy dog and sleeps all day.\n"
    expect(one, other, one + other, .clean)
  }

  @Test("with a base, short new entries with one title are two")
  func added() {
    let merge = OrgMerge.merge(
      base: Array("* Old\n".utf8), ours: Array("* Old\n* Ada\nphone 123\n".utf8),
      theirs: Array("* Old\n* Ada\nphone 456\n".utf8))
    #expect(merge.status == .clean)
    #expect(merge.content.map(text) == "* Old\n* Ada\nphone 123\n* Ada\nphone 456\n")
  }

  private func expect(_ ours: String, _ theirs: String, _ merged: String, _ status: OrgMerge.Result.Status) {
    for (one, other) in [(ours, theirs), (theirs, ours)] {
      let merge = OrgMerge.merge(base: nil, ours: Array(one.utf8), theirs: Array(other.utf8))
      #expect(merge.status == status)
      #expect(merge.content.map(text) == merged)
    }
  }
}
