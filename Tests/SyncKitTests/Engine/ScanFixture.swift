import SyncKit
import Testing

@testable import SyncKit

/// The state of one path in a test: a word for its content in the base, in the store and on the remote.
struct Row {
  var path: String
  var base: String?
  var local: String?
  var remote: String?

  init(_ path: String, _ base: String?, _ local: String?, _ remote: String?) {
    (self.path, self.base, self.local, self.remote) = (path, base, local, remote)
  }
}

func digest(_ word: String) -> Digest { Digest(of: Array(word.utf8)) }

func path(_ text: String) -> SyncPath { SyncPath(trusted: Array(text.utf8)) }

/// A scan of these rows. A word that ends in `?` means that the path is unknown on that side.
func scan(
  _ rows: [Row], local: NamingRules = NamingRules(), remote: NamingRules = NamingRules(),
  root: RootIdentity = RootIdentity(address: "", id: "x")
) -> Scan {
  let base = Base(
    rows.compactMap { row in
      row.base.map {
        Agreement(path: path(row.path), digest: digest($0), local: Revision($0), remote: Revision($0))
      }
    })
  func snapshot(_ side: Side, _ naming: NamingRules) -> Snapshot {
    var builder = SnapshotBuilder(since: Known(base, on: side))
    for row in rows {
      guard let word = side == .local ? row.local : row.remote else { continue }
      if word == "?" {
        builder.add(unread: Unread(path(row.path), .failed("it cannot be read")))
      } else {
        builder.add(
          Entry(path: path(row.path), revision: Revision(word), digest: word == row.base ? nil : digest(word)))
      }
    }
    return builder.finish(root: root, naming: naming)
  }
  return Scan(base: base, local: snapshot(.local, local), remote: snapshot(.remote, remote))
}

/// The plan for these rows by path, without paths that need no decision.
func plan(
  _ rows: [Row], local: NamingRules = NamingRules(), remote: NamingRules = NamingRules(),
  filter: PathFilter = PathFilter(), intended: [IntendedChange] = []
) -> Plan {
  var scan = scan(rows, local: local, remote: remote)
  scan.intended = Dictionary(uniqueKeysWithValues: intended.map { ($0.path, $0) })
  var differences = scan.differences()
  for index in differences.indices {
    for side in Side.allCases where differences[index][side] == .absent {
      if scan[side].isUnknown(scan.path(of: differences[index])) { differences[index][side] = .unknown }
    }
  }
  return Reconcile.plan(scan, differences, filter: filter)
}

extension Plan {
  /// The decision for each path.
  var table: [String: Decision] {
    Dictionary(uniqueKeysWithValues: indices.map { (path(at: $0).description, decisions[$0]) })
  }

  /// The paths that cannot be synced.
  var refused: Set<String> { Set(objections.keys.map { path(at: $0).description }) }
}
