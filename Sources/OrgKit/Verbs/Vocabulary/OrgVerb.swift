/// One change of an entry, a list item or a block, as a command of Org makes it.
///
/// Dates are text as a person types it: `2026-03-12 10:00`, `+2d`, `fri`. Names of states, tags and properties are written as in
/// the file.
public enum OrgVerb: Sendable, Hashable {
  /// Changes the task state.
  case todo(OrgStateChange)
  /// Changes the priority.
  case priority(OrgPriorityChange)
  /// Changes the entry's own tags.
  case tags(OrgTagChange)
  /// Changes the scheduled date.
  case schedule(OrgDateChange)
  /// Changes the deadline.
  case deadline(OrgDateChange)
  /// Moves the `nth` timestamp at or below the headline, counted from 1.
  case shiftTimestamp(by: Int, OrgTimeUnit, nth: Int = 1)
  /// Makes the first timestamp active or inactive.
  case toggleTimestampType
  /// Changes a property.
  case property(OrgPropertyChange)
  /// Adds a note to the log; the context has its text.
  case note
  /// Gives the entry an `ID` unless it has one.
  case createID
  /// Changes the title.
  case title(String)
  /// Replaces the text between the entry's meta data and its first child; with `log`, a note follows.
  case body(String, log: Bool = false)
  /// Changes the checkbox of the item of the place, or of all items of the entry.
  case checkbox(OrgCheckboxChange)
  /// Inserts an item after the item of the place.
  case insertItem(String, checkbox: Bool = false)
  /// Repairs bullets, numbers and indentation of the list of the place.
  case repairList
  /// Computes the statistics cookies of the entry, or of the whole file.
  case updateCookies(all: Bool)
  /// Adds or removes `COMMENT`.
  case toggleComment
  /// Adds or removes the property `ORDERED`.
  case toggleOrdered
  /// Adds what a template describes.
  case capture(OrgCapture)
  /// Moves the entry below a target.
  case refile(OrgRefile)
  /// Archives the entry.
  case archive(OrgArchive)
  /// Starts the clock; a running one is stopped first.
  case clockIn(start: OrgMoment? = nil)
  /// Stops the running clock.
  case clockOut(end: OrgMoment? = nil)
  /// Removes the running clock's line.
  case clockCancel
  /// Computes the duration of the clock line of the place again.
  case updateClockTime
  /// Generates the dynamic block of the place again, or all blocks of the file.
  case updateBlock(all: Bool = false)
  /// Inserts a block `clocktable` with these parameters, such as `:scope file`, and generates it.
  case insertClockTable([OrgValue])
  /// Sorts the children, or the entries of the file at its top.
  case sort(OrgSort)
  /// Sorts the list of the place.
  case sortList(OrgSort)
  /// Removes a star, from the whole subtree unless `alone`.
  case promote(alone: Bool = false)
  /// Adds a star, to the whole subtree unless `alone`.
  case demote(alone: Bool = false)
  /// Moves the entry among its siblings; a negative number moves it up.
  case move(by: Int)
  /// Removes the entry with its subtree.
  case delete
  /// Inserts copies after the entry; `shift` moves the dates of each further one.
  case clone(times: Int, shift: String? = nil)
  /// Cuts the entry and pastes it before the other place, or below it as its last child.
  case paste(to: OrgPlace, below: Bool)
  /// Inserts an entry beside the place, or below it.
  case insertHeading(OrgInsertion, title: String)
  /// Makes a headline of the line of the place, or a line of text of its headline.
  case toggleHeading
  /// Adds a text at the end of a day in the date tree.
  case dateTree(OrgDay, text: String)
}

/// A change of the task state.
public enum OrgStateChange: Sendable, Hashable {
  /// This state; an empty name removes the keyword.
  case state(String)
  /// The next state of the sequence; after the last none, then the first.
  case cycle
  /// The next state of all sequences; after the last none.
  case next
  /// The previous state of all sequences.
  case previous
  /// The first state of the next sequence.
  case nextSet
  /// The first state of the previous sequence.
  case previousSet
  /// The state whose key is the next answer; a space removes the keyword.
  case key
  /// The done state of the sequence.
  case done
}

/// A change of the priority.
public enum OrgPriorityChange: Sendable, Hashable {
  /// A letter or a number; an empty text removes the priority.
  case set(String)
  /// One step higher.
  case up
  /// One step lower.
  case down
}

/// A change of the entry's own tags.
public enum OrgTagChange: Sendable, Hashable {
  /// These tags, in this order.
  case set([String])
  /// The present tags without the second ones, then the first ones.
  case change(add: [String], remove: [String])
  /// Adds the tag, or removes it if it is there.
  case toggle(String)
  /// The keys of tags are the answers, up to `RET`; a tag of a group removes the others of the group.
  case keys
  /// Changes no tag, and aligns all of the file.
  case align
}

/// A change of a planning date.
public enum OrgDateChange: Sendable, Hashable {
  /// The date as typed; nil if it is the next answer. A repeater and a warning, such as `+1w` and `-3d`, replace the present
  /// ones; nil keeps them.
  case set(String?, repeater: String? = nil, warning: String? = nil)
  /// Removes the date.
  case remove
  /// Delays the task, or warns, up to a date, which is the next answer.
  case delay
}

/// The unit of a shift of a timestamp.
public enum OrgTimeUnit: String, Sendable, Hashable {
  /// A part of a timestamp.
  case minute, hour, day, month, year
}

/// A change of a property.
public enum OrgPropertyChange: Sendable, Hashable {
  /// Sets a property; `TODO`, `PRIORITY`, `SCHEDULED` and `DEADLINE` act as their verbs.
  case set(String, String)
  /// Removes a property.
  case delete(String)
  /// Adds a value to a property with several values.
  case append(String, String)
  /// Removes a value of a property with several values.
  case drop(String, String)
  /// Sets the estimated effort.
  case effort(String)
}

/// A change of checkboxes.
public enum OrgCheckboxChange: Sendable, Hashable {
  /// Ticks an empty box, and empties others.
  case toggle
  /// Adds a box, or removes it.
  case add
  /// Makes the box `[-]`, or empty if it is.
  case partial
  /// Ticks the box and empties all others of its list.
  case radio
  /// Empties all boxes of the subtree.
  case reset
}

/// A refile of an entry.
public struct OrgRefile: Sendable, Hashable {
  /// The target.
  public enum Target: Sendable, Hashable {
    /// A target by the name that ``refileTargets(in:_:)`` gives it.
    case named(String)
    /// A place; the preamble stands for the file.
    case place(OrgPlace)
  }

  /// The target.
  public var target: Target
  /// The title of a new entry below the target that receives the entry.
  public var newChild: String?
  /// True if the entry also stays where it is; the copy gets a new `ID`.
  public var isCopy: Bool

  /// A refile to a target.
  public init(to target: Target, newChild: String? = nil, isCopy: Bool = false) {
    (self.target, self.newChild, self.isCopy) = (target, newChild, isCopy)
  }
}

/// A way to archive an entry.
public enum OrgArchive: Sendable, Hashable {
  /// Moves it to the archive location.
  case subtree
  /// Moves it below the sibling `Archive`.
  case sibling
  /// Adds the tag `ARCHIVE`, or removes it.
  case tag
  /// Moves the children without an open task to the archive location, each after the answer `y`.
  case allDone
  /// Moves the children whose timestamps are all past to the archive location, each after the answer `y`.
  case allOld
}

/// The order of a sort.
public struct OrgSort: Sendable, Hashable {
  /// Org's letter: `a` text, `n` number, `t` time, `s` scheduled, `d` deadline, `p` priority, `o` state, `k` clock, `r`
  /// property, `c` creation, `x` checkbox; a capital letter reverses the order.
  public var key: Character
  /// True if capitals differ from small letters.
  public var isCaseSensitive: Bool
  /// The property to sort by.
  public var property: String?

  /// A sort by one of Org's letters.
  public init(by key: Character, isCaseSensitive: Bool = false, property: String? = nil) {
    (self.key, self.isCaseSensitive, self.property) = (key, isCaseSensitive, property)
  }
}

/// Where a new entry stands.
public enum OrgInsertion: Sendable, Hashable {
  /// After the subtree, on the same level.
  case after
  /// Before the entry.
  case before
  /// Directly below the headline, one level deeper, as Emacs does; the text of the entry then belongs to the new one.
  case child
  /// At the end of the subtree, one level deeper, where a refiled entry would be.
  case lastChild
  /// The same, with the first state.
  case lastChildTask
  /// After the subtree, with the state of the entry if it is open, or the first one.
  case task
  /// After the subtree, with the first state.
  case firstTask
}
