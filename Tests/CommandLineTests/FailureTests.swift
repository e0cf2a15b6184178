import SyncKit
import Testing

@testable import CommandLine

@Suite("Exit statuses")
struct FailureTests {
  @Test(
    "the worse of two statuses wins, and a status that is not a pass result decides",
    arguments: [
      (0, 0, 0), (0, 10, 10), (10, 3, 3), (3, 4, 4), (4, 5, 5), (5, 11, 11), (11, 6, 6), (6, 7, 7), (2, 7, 2),
    ]
      as [(Int32, Int32, Int32)])
  func worst(one: Int32, other: Int32, expected: Int32) {
    #expect(Failure.worst(one, other) == expected)
    if expected != 2 { #expect(Failure.worst(other, one) == expected) }
  }

  @Test(
    "the status of an error follows from its code",
    arguments: [
      (.invalidSettings, 8), (.locked, 9), (.damagedState, 7), (.otherVersion, 7), (.notFound, 4), (.unavailable, 5),
      (.unauthorized, 11), (.wrongReplica, 6), (.timedOut, 10), (.unexpected, 1),
    ] as [(SyncError.Code, Int32)])
  func status(code: SyncError.Code, expected: Int32) {
    #expect(Failure.status(of: SyncError(code, "text")) == expected)
  }
}
