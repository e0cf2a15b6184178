/// A three-way merge of Org files by what they say, not by lines.
///
/// Entries are followed when they move; headlines, dates, properties, logs, lists and tables merge part by part. What
/// only a person can decide is written into the file as valid Org: a tag, a drawer, special blocks. No rule prefers a
/// side: exchanging `ours` and `theirs` gives the same bytes.
public enum OrgMerge {
  /// What can be chosen; the defaults are the declared form that all replicas share.
  public struct Options: Sendable {
    /// How conflicts are written.
    public enum Style: Sendable {
      /// As valid Org.
      case org
      /// Between git's markers, for people with a tool for them; not valid Org.
      case markers(LineMerge.Labels)
      /// Decided for one side, wherever a person would have to decide; everything else is merged.
      case decided(Side)
    }

    /// One of the two sides of a merge.
    public enum Side: Sendable {
      case ours, theirs
    }

    /// How conflicts are written.
    public var style = Style.org
    /// The tag of entries with a conflict.
    public var tag = "CONFLICT"
    /// The drawer that lists the conflicts of an entry.
    public var drawer = "CONFLICT"
    /// The keywords of files that declare none, as in `#+TODO:`.
    public var keywords = "TODO NEXT WAITING | DONE CANCELLED"
    /// True if prose that both sides changed is merged word by word.
    public var mergesWords = true

    /// The declared form.
    public init() {}
  }

  /// Something the merge decided that was more than taking what one side changed.
  public struct Decision: Sendable, Equatable {
    /// What became of the field.
    public enum Kind: Sendable {
      /// Both changes are in the result.
      case merged
      /// A value that follows from others; one of two was dropped without a flag.
      case derived
      /// A person is asked.
      case flagged
    }

    /// What became of the field.
    public var kind: Kind
    /// The outline path of the entry; empty for the preamble of a file.
    public var entry: [String] = []
    /// The field, as conflicts name it.
    public var field: String
    /// The value in the result; nil for none.
    public var kept: String?
    /// The value that is not in the result as such.
    public var dropped: String?

    init(_ kind: Kind, field: String, kept: String?, dropped: String?) {
      (self.kind, self.field, self.kept, self.dropped) = (kind, field, kept, dropped)
    }
  }
}
