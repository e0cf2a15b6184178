/// What must hold for one path after the pass.
enum Decision: Hashable, Sendable {
  /// Nothing is to be done, or nothing can be: one side is unknown.
  case leave
  /// Both sides hold the same content already; it only has to be recorded.
  case agree
  /// Both sides have nothing there, or the filter refuses the path; it only has to be recorded.
  case forget
  /// The version of the other side belongs on this side too.
  case copy(to: Side)
  /// The file goes from this side too.
  case remove(from: Side)
  /// Both sides hold a version of their own.
  case merge
  /// A folder of the other side needs the name: the file of this side is kept under another one.
  case setAside(on: Side)
  /// The file was renamed on this side and edited under its old name on the other: the edit continues under the new name.
  case follow(on: Side)
  /// It waits for a person.
  case hold(HeldChange)

  /// What is held: a removal, or a change that empties the file.
  enum HeldChange: Hashable, Sendable {
    case removal(from: Side)
    case emptying(on: Side)
  }

  /// The decision for a single path: the table of nine cases, and what is unknown stays unchanged.
  ///
  /// - Parameters:
  ///   - base: the content that both sides had when they last agreed; nil if they never did.
  ///   - local: what the store has.
  ///   - remote: what the remote has.
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

  /// What happened to a file on one side since the agreement.
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
