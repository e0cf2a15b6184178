internal import SyncKit

extension OpenTree {
  /// Waits until no other instance on this machine replaces files below the root, and keeps the others waiting until
  /// `unlock`. False if one does not end within the tree's patience: it may be stopped.
  ///
  /// A writer recognizes by what it replaced that another one was faster, and exchanges back. Were a third one to come in
  /// between, it could put an older version in place. Other programs do not know this lock; what they save meanwhile is
  /// kept by the exchange itself.
  func lock() async -> Bool {
    let end = ContinuousClock.now + patience
    while !root.tryLock() {
      guard ContinuousClock.now < end, !Task.isCancelled else { return false }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return true
  }

  func unlock() { root.unlock() }

  /// Why a change is left for a later pass.
  var lockedReason: String { "another process is replacing files in \(path)" }
}
