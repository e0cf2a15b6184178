internal import SyncKit

/// What recovery does about an open intent. It is decided by content alone: by what stands at the place and under the
/// temporary name after the crash, at whatever step that came.
enum Remedy: Hashable, CaseIterable {
  /// Nothing is left to do.
  case close
  /// What is under the temporary name is held elsewhere.
  case discard
  /// What is under the temporary name belongs at the place, which is free.
  case moveBack
  /// What is under the temporary name belongs at the place, and the new content comes out again.
  case exchangeBack
  /// What is under the temporary name is a version of its own, and so is what stands at the place.
  case keepAside

  /// What stands under a name, compared with what the intent says.
  enum Found: Hashable, CaseIterable {
    case nothing
    /// The content that was to be replaced.
    case expected
    /// The content that was to take its place.
    case new
    /// A content that the intent does not know, or no file at all.
    case other
  }

  /// The whole table.
  init(_ kind: Intent.Kind, location: Found, temporary: Found) {
    self =
      switch (kind, location, temporary) {
      // The place was freed: the move was never begun, or was finished to the last step.
      case (_, _, .nothing): .close

      // The exchange had not happened, or was undone.
      case (.exchange, _, .new): .discard
      // It had, whatever became of the new version since.
      case (.exchange, _, .expected): .discard
      // Another program had saved just before. Nothing was recorded yet, so its version is restored.
      case (.exchange, .new, .other): .exchangeBack
      case (.exchange, .nothing, .other): .moveBack
      case (.exchange, .expected, .other), (.exchange, .other, .other): .keepAside

      // Between the two moves the name is free; what was there belongs there.
      case (.aside, .nothing, _): .moveBack
      case (.aside, _, .expected), (.aside, _, .new): .discard
      case (.aside, .new, .other), (.aside, .expected, .other), (.aside, .other, .other): .keepAside

      // A removal that had happened; what stands there now, if anything, came later.
      case (.removal, _, .expected): .discard
      // Not what was to be removed. A removal has no new content, so a match with it changes nothing.
      case (.removal, .nothing, .new), (.removal, .nothing, .other): .moveBack
      case (.removal, _, .new), (.removal, _, .other): .keepAside

      // The change is recorded and what stands at the place has its own history.
      case (.probation, _, .expected): .discard
      case (.probation, _, .new), (.probation, _, .other): .keepAside
      }
  }
}

extension Intent {
  /// What a version is to this intent.
  func found(_ version: Version) -> Remedy.Found {
    switch version {
    case .absent: .nothing
    case .content(expected): .expected
    case .content(new): .new
    case .content, .special: .other
    }
  }
}
