import Testing

@testable import SyncKit

@Suite("The order of passes") struct PassOrderTests {
  private func begun(_ order: inout PassOrder) -> Int? { order.begin { _ in false } }

  @Test("is one after the other, and then again over those for which there is news")
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

  @Test("does not wait for a pass that takes long, whose remote is not passed over twice at a time")
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

  @Test("leaves out a remote that could not be reached a moment ago")
  func failed() {
    var order = PassOrder([0, 1])
    #expect(begun(&order) == 0)
    order.end(0, [])
    #expect(begun(&order) == 1)
    order.end(1, [0])
    #expect(order.begin { $0 == 0 } == nil && !order.isBusy)
  }
}
