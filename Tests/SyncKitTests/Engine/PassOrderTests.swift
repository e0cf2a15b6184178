import Testing

@testable import SyncKit

@Suite("The order of passes") struct PassOrderTests {
  private func begun(_ order: inout PassOrder) -> Int? { order.begin { _ in false } }

  @Test("passes run one at a time, and again over remotes with news")
  func rounds() {
    var order = PassOrder([0, 1, 2])
    #expect(begun(&order) == 0 && begun(&order) == nil && order.isBusy)
    order.end(0, [])
    #expect(begun(&order) == 1)
    order.end(1, [0, 2])
    #expect(begun(&order) == 2)
    order.end(2, [])
    #expect(begun(&order) == 0)
    order.end(0, [0])
    #expect(begun(&order) == 0)
    order.end(0, [0])
    #expect(begun(&order) == nil && !order.isBusy)
  }

  @Test("a slow pass does not delay the others, and its remote gets no second pass at the same time")
  func late() {
    var order = PassOrder([0, 1])
    #expect(begun(&order) == 0)
    order.isLate(1)
    #expect(begun(&order) == nil)
    order.isLate(0)
    #expect(begun(&order) == 1)
    order.end(1, [0])
    #expect(begun(&order) == nil && order.isBusy)
    order.end(0, [1])
    #expect(begun(&order) == 0)
  }

  @Test("a remote that was unreachable a moment ago is skipped")
  func failed() {
    var order = PassOrder([0, 1])
    #expect(begun(&order) == 0)
    order.end(0, [])
    #expect(begun(&order) == 1)
    order.end(1, [0])
    #expect(order.begin { $0 == 0 } == nil && !order.isBusy)
  }
}
