/// All metrics: the name, in Prometheus' conventions, and the help text.
enum Metric: String, CaseIterable {
  case build = "syncd_build_info"
  case up = "syncd_up"
  case lastSuccess = "syncd_last_success_timestamp_seconds"
  case passes = "syncd_passes_total"
  case passDuration = "syncd_pass_duration_seconds"
  case errors = "syncd_errors_total"
  case changedFiles = "syncd_changed_files_total"
  case failedFiles = "syncd_failed_files_total"
  case transferredBytes = "syncd_transferred_bytes_total"
  case pendingFiles = "syncd_pending_files"
  case openConflicts = "syncd_open_conflicts"
  case heldDeletions = "syncd_held_deletions"
  /// Set by FileTree, which does not use this list.
  case unwatchedFolders = "syncd_unwatched_folders"

  var help: String {
    switch self {
    case .build: "Always 1; the version is in the label."
    case .up: "1 if the last pass finished, else 0."
    case .lastSuccess: "Time when both sides were last in sync."
    case .passes: "Passes by result."
    case .passDuration: "Duration of the passes."
    case .errors: "Passes that failed, by error code."
    case .changedFiles: "Changed files by action and side."
    case .failedFiles: "Files that could not be synced, counted in each pass."
    case .transferredBytes: "Bytes written: up to the remote, down to the store."
    case .pendingFiles: "Files that the last pass did not sync."
    case .openConflicts: "Open conflicts."
    case .heldDeletions: "Held deletions."
    case .unwatchedFolders: "Folders that the system cannot watch; syncd checks them once per interval."
    }
  }
}
