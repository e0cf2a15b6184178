import SyncKit
import Testing

@testable import BackendOrgMobile

@Suite("The phone's view after a push") struct MobileStateUpdateTests {
  private static let path = SyncPath("work.org") ?? StagingArea.path("work.org")

  /// The text shown in addition to the push, if `new` was pushed while `sent` was in the capture file.
  private func shown(_ old: String, sent: String, pushed new: String) throws -> [UInt8]? {
    let stateUpdate = MobileStateUpdate(options: EditPlan.Options()) { NoteID(random: Array(repeating: 7, count: 16)) }
    var state = MobileState()
    state.overlays[Self.path] = MobileState.Overlay(
      staged: Array(old.utf8), desktop: Array(old.utf8), sent: Array(sent.utf8))
    state = stateUpdate.expressed(state)
    try #require(!state.batch.isEmpty)
    let next = stateUpdate.updated(state, ids: state.ids, staged: [Self.path: .present(Array(new.utf8))])
    #expect(next.batch.isEmpty == (next.overlays[Self.path] == nil))
    return next.overlays[Self.path]?.sent
  }

  @Test("a push with the same meaning in another layout resolves what was sent")
  func otherWords() throws {
    let old = "* TODO Call                  :work:\n"
    #expect(try shown(old, sent: "* TODO Call :work:\nhere\n", pushed: old + "here\n") == nil)
  }

  @Test("what was sent stays visible until the desktop has it, together with the desktop's additions")
  func missing() throws {
    let shown = try shown("* Call\n* Write\n", sent: "* TODO Call\n* Write\n", pushed: "* Call\n* Write\n* New\n")
    #expect(shown == Array("* TODO Call\n* Write\n* New\n".utf8))
  }
}
