internal import SyncKit

/// The action of recovery for an open intent. It depends only on the contents at the location and in the temporary after the
/// crash, whichever step was interrupted.
enum Remedy: Hashable, CaseIterable {
  /// Nothing is left to do.
  case close
  /// The content of the temporary is held elsewhere.
  case discard
  /// The file at the location has its new name, and loses this one.
  case moveAway
  /// The file in the temporary belongs to the location, which is free.
  case moveBack
  /// The file in the temporary belongs to the location, and the new content is moved out again.
  case exchangeBack
  /// The temporary has a separate version, and so has the location.
  case keepAside

  /// The content under a name, compared with the intent.
  enum Found: Hashable, CaseIterable {
    case nothing
    /// The content to replace.
    case expected
    /// The content that replaces it.
    case new
    /// A content that the intent does not contain, or not a file at all.
    case other
    /// The file that has its new name already, with whatever content.
    case renamed
  }

  /// The whole table.
  init(_ kind: Intent.Kind, location: Found, temporary: Found) {
    self =
      switch (kind, location, temporary) {
      // The file is at its new path, so nothing is lost with its old name.
      case (_, .renamed, .nothing): .moveAway
      case (_, _, .renamed): .discard

      // The temporary is free: the move was never begun, or was completed.
      case (_, _, .nothing): .close

      // The exchange was not made, or was undone.
      case (.exchange, _, .new): .discard
      // The exchange was made, whatever happened to the new version since.
      case (.exchange, _, .expected): .discard
      // Another program had saved just before. Nothing was recorded yet, so its version is restored.
      case (.exchange, .new, .other): .exchangeBack
      case (.exchange, .nothing, .other): .moveBack
      case (.exchange, .expected, .other), (.exchange, .other, .other), (.exchange, .renamed, .other): .keepAside

      // The name is free between the two moves; the old version belongs there.
      case (.aside, .nothing, _): .moveBack
      case (.aside, _, .expected), (.aside, _, .new): .discard
      case (.aside, .new, .other), (.aside, .expected, .other), (.aside, .other, .other), (.aside, .renamed, .other):
        .keepAside

      // The removal was made; a file at the location came later.
      case (.removal, _, .expected): .discard
      // Not the version to remove. A removal has no new content, so a match with it has no meaning.
      case (.removal, .nothing, .new), (.removal, .nothing, .other): .moveBack
      case (.removal, _, .new), (.removal, _, .other): .keepAside

      // The change is recorded, and the file at the location has its own history.
      case (.probation, _, .expected): .discard
      case (.probation, _, .new), (.probation, _, .other): .keepAside
      }
  }
}

extension Intent {
  /// Classifies a version for this intent.
  func found(_ version: Version) -> Remedy.Found {
    switch version {
    case .absent: .nothing
    case .content(expected): .expected
    case .content(new): .new
    case .content, .special: .other
    }
  }
}
