/// Everything that is counted or measured: the name, as Prometheus' conventions have it, and what it tells.
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
  /// Counted by FileTree, which knows nothing of this list.
  case unwatchedFolders = "syncd_unwatched_folders"

  var help: String {
    switch self {
    case .build: "Always 1; the version is in the label."
    case .up: "Whether the last pass came to its end."
    case .lastSuccess: "When both sides were last in sync."
    case .passes: "Passes by how they ended."
    case .passDuration: "How long passes took."
    case .errors: "Passes that ended early, by the code of the error."
    case .changedFiles: "Files that were changed, by what was done and on which side."
    case .failedFiles: "Files that could not be carried over, counted in each pass that tried."
    case .transferredBytes: "Bytes of files that were written, up to the remote and down to the store."
    case .pendingFiles: "Files that the last pass left undone and a later one may not."
    case .openConflicts: "Conflicts that wait for a person."
    case .heldDeletions: "Deletions that wait to be allowed."
    case .unwatchedFolders: "Folders that the system could not watch and that are only looked at every interval."
    }
  }
}
