internal import SyncKit

/// The points of a change of the store's file at which a test can stop the program.
enum StoreFailpoint: String, ModuleFailpoint {
  case creating = "sqlite.store.creating"
  case created = "sqlite.store.created"
  case partWriting = "sqlite.part.writing"
  case partWritten = "sqlite.part.written"
  case committing = "sqlite.commit.starting"
  case changed = "sqlite.commit.changed"
  case committed = "sqlite.commit.finished"
  case leftoversRemoved = "sqlite.leftovers.removed"
  case copying = "sqlite.copy.starting"
  case copied = "sqlite.copy.written"
  case restoring = "sqlite.repair.restoring"
  case exchanging = "sqlite.repair.exchanging"
  case repaired = "sqlite.repair.repaired"
  case movedAside = "sqlite.repair.moved-aside"
  case restored = "sqlite.repair.restored"

  /// The promise that a crash at this point threatens.
  var promise: String {
    switch self {
    case .partWriting, .partWritten, .changed: "P7"
    case .creating, .created, .leftoversRemoved: "P8"
    case .committing, .committed: "P9"
    case .copying, .copied, .restoring, .exchanging, .repaired, .movedAside, .restored: "P1"
    }
  }
}
