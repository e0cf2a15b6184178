/// A three-way merge of Org files by structure instead of lines.
///
/// Entries are followed when they move; headlines, dates, properties, logs, lists and tables merge part by part. Conflicts that
/// only a user can decide are written into the file as valid Org: a tag, a drawer, special blocks. No rule prefers a side:
/// exchanging `ours` and `theirs` gives the same bytes.
public enum OrgMerge {
  /// The options of a merge; the defaults are the form that all replicas share.
  public struct Options: Sendable {
    /// The form of conflicts.
    public enum Style: Sendable {
      /// As valid Org.
      case org
      /// Between git's markers, for users with a tool for them; not valid Org.
      case markers(LineMerge.Labels)
      /// Decided for one side; everything else is merged.
      case decided(Side)
    }

    /// One of the two sides of a merge.
    public enum Side: Sendable {
      case ours, theirs
    }

    /// The form of conflicts.
    public var style = Style.org
    /// The tag of entries with a conflict.
    public var tag = "CONFLICT"
    /// The drawer that lists the conflicts of an entry.
    public var drawer = "CONFLICT"
    /// The keywords for files that declare none, as in `#+TODO:`.
    public var keywords = "TODO NEXT WAITING | DONE CANCELLED"
    /// True to merge prose that both sides changed word by word.
    public var mergesWords = true

    /// The defaults.
    public init() {}
  }

  /// A decision of the merge other than taking the only change.
  public struct Decision: Sendable, Equatable {
    /// The kind of decision.
    public enum Kind: Sendable {
      /// Both changes are in the result.
      case merged
      /// A derived value; one of two was dropped without a flag.
      case derived
      /// The user must decide.
      case flagged
    }

    /// The kind of decision.
    public var kind: Kind
    /// The outline path of the entry; empty for the preamble of a file.
    public var entry: [String] = []
    /// The field's name as in conflicts.
    public var field: String
    /// The value in the result; nil for none.
    public var kept: String?
    /// The value that is not in the result.
    public var dropped: String?

    init(_ kind: Kind, field: String, kept: String?, dropped: String?) {
      (self.kind, self.field, self.kept, self.dropped) = (kind, field, kept, dropped)
    }
  }
}
