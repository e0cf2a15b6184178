/// A capture with one of Org's templates.
public struct OrgCapture: Sendable, Hashable {
  /// The key in `org-capture-templates`.
  public var key: String
  /// The text that the user types at `%?`.
  public var text: String
  /// The selected text, for `%i`.
  public var initial: String?
  /// The address and description of a link, for `%a`, `%l` and `%:link`.
  public var link: (address: String, description: String)? {
    get { address.map { ($0, description) } }
    set { (address, description) = (newValue?.address, newValue?.description ?? "") }
  }
  private var address: String?
  private var description = ""
  /// The place that the user came from, for `%a` and `%f`.
  public var origin: OrgPlace?
  /// The newest text that was copied, for `%c` and `%x`.
  public var clipboard: String?
  /// True if the user gives up: nothing is added.
  public var isAborted: Bool

  /// A capture with the template of a key.
  public init(key: String, text: String = "", initial: String? = nil) {
    (self.key, self.text, self.initial) = (key, text, initial)
    isAborted = false
  }
}
