import Testing

@testable import SyncKit

@Suite("The filter of a remote's mode")
struct ModeFilterTests {
  /// Every change of one path, on each side and on both.
  private static let rows = [
    Row("edited here", "1", "2", "1"), Row("edited there", "1", "1", "2"), Row("edited both", "1", "2", "3"),
    Row("new here", nil, "2", nil), Row("new there", nil, nil, "2"), Row("new both", nil, "2", "3"),
    Row("gone here", "4", nil, "4"), Row("gone there", "5", "5", nil), Row("gone both", "1", nil, nil),
    Row("edited here, gone there", "1", "2", nil), Row("gone here, edited there", "1", nil, "2"),
    Row("emptied here", "1", "", "1"), Row("emptied there", "1", "1", ""), Row("equal", nil, "2", "2"),
    Row("same edit", "1", "2", "2"), Row("folder", nil, "2", nil), Row("folder/x", nil, nil, "3"),
    Row("unread", "1", "?", "2"),
  ]

  private func filtered(_ mode: RemoteMode) -> Plan { ModeFilter(mode: mode).applied(to: plan(Self.rows)) }

  private func ignored(_ plan: Plan) -> [String: String] {
    Dictionary(uniqueKeysWithValues: plan.ignored.map { (plan.path(at: $0.key).description, $0.value) })
  }

  @Test("the mode both lets everything pass")
  func both() {
    #expect(filtered(.both).table == plan(Self.rows).table)
    #expect(filtered(.both).ignored.isEmpty)
  }

  @Test("the mode send keeps every change from the store, and names it")
  func send() {
    let plan = filtered(.send)
    #expect(
      ignored(plan) == [
        "edited there": "edited on the remote", "edited both": "edited in the store and edited on the remote",
        "new there": "new on the remote", "new both": "new in the store and new on the remote",
        "gone there": "deleted on the remote",
        "gone here, edited there": "deleted in the store and edited on the remote",
        "emptied there": "emptied on the remote", "folder/x": "new on the remote",
        "folder": "new in the store, and the remote has a folder of this name",
      ])
    #expect(plan.decisions.allSatisfy { $0 != .copy(to: .local) && $0 != .remove(from: .local) && $0 != .merge })
    #expect(
      plan.table["edited here, gone there"] == .copy(to: .remote) && plan.table["gone here"] == .remove(from: .remote))
    #expect(plan.table["gone both"] == .forget && plan.table["equal"] == .agree && plan.table["same edit"] == .agree)
  }

  @Test("the mode receive keeps every change from the remote, and names it")
  func receive() {
    let plan = filtered(.receive)
    #expect(
      ignored(plan) == [
        "edited here": "edited in the store", "edited both": "edited in the store and edited on the remote",
        "new here": "new in the store", "new both": "new in the store and new on the remote",
        "gone here": "deleted in the store", "edited here, gone there": "edited in the store and deleted on the remote",
        "emptied here": "emptied in the store",
        "folder": "new in the store, and the remote has a folder of this name",
      ])
    #expect(plan.decisions.allSatisfy { $0 != .copy(to: .remote) && $0 != .remove(from: .remote) && $0 != .merge })
    #expect(
      plan.table["gone here, edited there"] == .copy(to: .local) && plan.table["gone there"] == .remove(from: .local))
  }

  @Test("the mode no-delete keeps every deletion from both sides, and nothing else")
  func noDelete() {
    let plan = filtered(.noDelete)
    #expect(
      ignored(plan) == [
        "gone here": "deleted in the store", "gone there": "deleted on the remote",
        "emptied here": "emptied in the store",
        "emptied there": "emptied on the remote",
        "folder": "new in the store, and the remote has a folder of this name",
      ])
    #expect(plan.table["edited both"] == .merge && plan.table["edited here, gone there"] == .copy(to: .remote))
  }

  @Test("no mode decides about a file whose state is unknown", arguments: RemoteMode.allCases)
  func unknown(mode: RemoteMode) {
    #expect(filtered(mode).table["unread"] == .leave && ignored(filtered(mode))["unread"] == nil)
  }
}
