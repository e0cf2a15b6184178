import OrgKit
import Testing

@Suite struct DesktopSetupTests {
  @Test func aSetupIsDecodedFromItsRecord() {
    let setup = DesktopSetup(
      todo: ["TODO NEXT | DONE", " | CANCELLED"], tags: ["home", "@work"], priorities: ["A", "1"])
    #expect(DesktopSetup(record: setup.record) == setup)
    #expect(DesktopSetup(record: []) == DesktopSetup())
    #expect(DesktopSetup(record: Array("weather fine\ntodo A | B\nx".utf8)) == DesktopSetup(todo: ["A | B"]))
  }

  @Test(arguments: [
    ([], "|"), (["TODO DONE"], "TODO | DONE"),
    (["TODO NEXT | DONE", "OPEN | FINISHED"], "TODO NEXT OPEN | DONE FINISHED"),
    (["TODO | DONE", "DONE TODO LATER | X"], "TODO LATER | DONE X"), (["NEXT | ", " | CANCELLED"], "NEXT | CANCELLED"),
  ])
  func allSequencesAreJoined(lines: [String], united: String) { #expect(DesktopSetup.united(lines) == united) }
}
