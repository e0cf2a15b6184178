import Testing

@testable import SyncKit

@Suite("Identity checks of the replicas")
struct ReplicaIdentityCheckTests {
  private enum Outcome: Equatable {
    case goesOn, claims, startsAgain, claimsAgain, stranger, refuses
  }

  @Test("a pass continues only with the known replicas, for every combination of ID and address")
  func table() {
    // The known and the present identity, each as an address and an id; the outcome for the store and for the remote.
    let rows: [(String, String, Outcome, Outcome)] = [
      ("", "/a", .claims, .claims), ("", "/a x", .goesOn, .goesOn), ("/a x", "/a x", .goesOn, .goesOn),
      ("/a x", "/a", .refuses, .refuses), ("/a x", "/b", .claimsAgain, .claimsAgain),
      ("/a x", "/a y", .stranger, .refuses), ("/a x", "/b y", .startsAgain, .startsAgain),
      ("/a", "/a x", .stranger, .stranger), ("/a", "/a", .refuses, .stranger), ("/a", "/b", .claimsAgain, .claimsAgain),
    ]
    for (known, seen, local, remote) in rows {
      for side in Side.allCases {
        #expect(outcome(known, seen, on: side) == (side == .local ? local : remote), "\(known) \(seen) \(side)")
      }
    }
  }

  @Test(
    "another address starts again without deletions, unless the marker proves that the replica is unchanged",
    arguments: [(5, false), (4, true), (6, true), (nil, true)] as [(Int?, Bool)])
  func moved(seen: Int?, startsAgain: Bool) throws {
    let memory = RemoteMemory(localRoot: root("/l x"), remoteRoot: root("/r y"), generation: 5)
    let remote = RootIdentity(address: "/elsewhere", id: "y", generation: seen)
    let check = try ReplicaIdentityCheck(memory, local: root("/elsewhere x"), remote: remote, name: "r")
    #expect(check.startsAgain == startsAgain)
  }

  @Test("a store that is older than in the last pass starts again", arguments: [false, true])
  func olderStore(isOlder: Bool) throws {
    let memory = RemoteMemory(localRoot: root("/l x"), remoteRoot: root("/r y"), generation: 5)
    let remote = RootIdentity(address: "/r", id: "y", generation: 5)
    let check = try ReplicaIdentityCheck(
      memory, local: root("/l x"), remote: remote, name: "r", known: [.local], isStoreOlder: isOlder)
    #expect(check.startsAgain == isOlder && !check.isRestored && (check.notice != nil) == isOlder)
  }

  @Test(
    "an archive older than the remote's stamp starts again",
    arguments: [(5, 5, false), (5, 4, false), (5, 6, true), (0, 1, true), (5, nil, false)])
  func generations(known: Int, seen: Int?, startsAgain: Bool) throws {
    let memory = RemoteMemory(localRoot: root("/l x"), remoteRoot: root("/r y"), generation: known)
    let remote = RootIdentity(address: "/r", id: "y", generation: seen)
    let check = try ReplicaIdentityCheck(memory, local: root("/l x"), remote: remote, name: "r")
    #expect(check.startsAgain == startsAgain)
    #expect((check.notice != nil) == startsAgain)
  }

  @Test(
    "a remote that has lost its stamp counts as restored, and one without a stamp does not",
    arguments: [(5, 5, false), (5, 4, true), (5, nil, true), (4, 4, false), (4, 5, false), (nil, nil, false)]
      as [(Int?, Int?, Bool)])
  func restored(stamped: Int?, seen: Int?, isRestored: Bool) throws {
    var memory = RemoteMemory(localRoot: root("/l x"), remoteRoot: root("/r y"), generation: 5)
    memory.remoteRoot?.generation = stamped
    let remote = RootIdentity(address: "/r", id: "y", generation: seen)
    let check = try ReplicaIdentityCheck(memory, local: root("/l x"), remote: remote, name: "r")
    #expect(check.isRestored == isRestored && check.startsAgain == isRestored)
    #expect((check.notice != nil) == isRestored)
  }

  @Test("a first check ignores generations")
  func firstMeeting() throws {
    let remote = RootIdentity(address: "/r", id: "y", generation: 7)
    let check = try ReplicaIdentityCheck(RemoteMemory(), local: root("/l x"), remote: remote, name: "r")
    #expect(!check.startsAgain && check.claims.isEmpty && check.strangers.isEmpty)
  }

  private func root(_ text: String) -> RootIdentity {
    let parts = text.split(separator: " ").map(String.init)
    return RootIdentity(address: parts.first ?? "", id: parts.dropFirst().first)
  }

  private func outcome(_ known: String, _ seen: String, on side: Side) -> Outcome {
    let other = root("/other id")
    let former = known.isEmpty ? nil : root(known)
    let memory =
      side == .local
      ? RemoteMemory(localRoot: former, remoteRoot: former == nil ? nil : other)
      : RemoteMemory(localRoot: former == nil ? nil : other, remoteRoot: former)
    do throws(SyncError) {
      let check =
        side == .local
        ? try ReplicaIdentityCheck(memory, local: root(seen), remote: other, name: "r")
        : try ReplicaIdentityCheck(memory, local: other, remote: root(seen), name: "r")
      if check.strangers.contains(side) { return .stranger }
      switch (check.claims.contains(side), check.startsAgain) {
      case (true, true): return .claimsAgain
      case (true, false): return .claims
      case (false, true): return .startsAgain
      case (false, false): return .goesOn
      }
    } catch {
      #expect(error.code == .wrongReplica)
      return .refuses
    }
  }
}
