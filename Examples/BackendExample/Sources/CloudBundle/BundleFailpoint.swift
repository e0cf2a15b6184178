internal import SyncKit

/// The points at which a test can stop the program while it replaces the bundle.
enum BundleFailpoint: String, ModuleFailpoint {
  case writing = "bundle.file.writing"
  case written = "bundle.file.written"
  case replaced = "bundle.file.replaced"

  var promise: String { "P7" }
}
