/// The decision for one path.
enum Decision: Hashable, Sendable {
  /// There is nothing to do, or nothing can be done because one side is unknown.
  case leave
  /// Both sides have the same content, which only has to be recorded.
  case agree
  /// Neither side has the file, or the filter refuses the path; that only has to be recorded.
  case forget
  /// Copy the other side's version to this side.
  case copy(to: Side)
  /// Remove the file from this side.
  case remove(from: Side)
  /// Both sides have different versions.
  case merge
  /// The other side has a folder with this name: keep this side's file under another name.
  case setAside(on: Side)
  /// This side renamed the file, and the other edited it under its old name: apply the edit under the new name.
  case follow(on: Side)
  /// Hold it until a user approves it.
  case hold(HeldChange)

  /// The kind of held change: a removal, or a change that empties the file.
  enum HeldChange: Hashable, Sendable {
    case removal(from: Side)
    case emptying(on: Side)
  }

  /// Returns the decision for a single path, from a table of nine cases; unknown states leave the path unchanged.
  ///
  /// - Parameters:
  ///   - base: the last common content; nil if there is none.
  ///   - local: the state in the store.
  ///   - remote: the state in the remote.
  static func decide(base: Digest?, local: FileState, remote: FileState) -> Decision {
    guard let localFate = Fate(of: local, since: base), let remoteFate = Fate(of: remote, since: base) else {
      return .leave
    }
    switch (localFate, remoteFate) {
    case (.unchanged, .unchanged): return base == nil ? .leave : .agree
    case (.written, .unchanged): return .copy(to: .remote)
    case (.unchanged, .written): return .copy(to: .local)
    case (.removed, .unchanged): return .remove(from: .remote)
    case (.unchanged, .removed): return .remove(from: .local)
    case (.removed, .removed): return .forget
    // An edit outlives a deletion: a deletion can be repeated in a second, lost text cannot.
    case (.written, .removed): return .copy(to: .remote)
    case (.removed, .written): return .copy(to: .local)
    case (.written, .written): return local == remote ? .agree : .merge
    }
  }

  /// The change of a file on one side since the agreement.
  private enum Fate {
    case unchanged, written, removed

    init?(of state: FileState, since base: Digest?) {
      switch state {
      case .unknown: return nil
      case .absent: self = base == nil ? .unchanged : .removed
      case .present(let digest): self = digest == base ? .unchanged : .written
      }
    }
  }
}
