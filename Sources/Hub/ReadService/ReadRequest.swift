import SyncKit

/// A request of the read service, as the iPad app of openBIS sends it to its `ipad-read-service`.
struct ReadRequest: Sendable, Hashable {
  /// What is asked for. The raw values are openBIS' names.
  enum Kind: String, Sendable, CaseIterable {
    case preferences = "CLIENT_PREFS"
    case navigation = "NAVIGATION"
    case root = "ROOT"
    case drill = "DRILL"
    case detail = "DETAIL"
    case search = "SEARCH"

    /// The columns of the answer, in order.
    var columns: [ReadColumn] {
      let summary: [ReadColumn] = [.permID, .refcon, .category, .summaryHeader, .summary]
      return switch self {
      case .preferences: [.key, .value]
      case .navigation: summary + [.rootLevel]
      case .root: summary + [.children, .rootLevel]
      case .drill, .search: summary + [.children]
      case .detail: summary + [.identifier, .images, .properties]
      }
    }
  }

  /// Where a search looks.
  enum Domain: String, Sendable, CaseIterable {
    case global = "GLOBAL"
    case title = "TITLE"
    case tag = "TAG"
    case file = "FILE"
    case property = "PROPERTY"

    var label: String {
      switch self {
      case .global: "Everywhere"
      case .title: "Titles"
      case .tag: "Tags"
      case .file: "Files"
      case .property: "Properties"
      }
    }
  }

  var kind: Kind
  /// The identifiers of the entities for `DRILL` and `DETAIL`.
  var entities: [String] = []
  /// For `ROOT`: only entities of this category; nil for all.
  var category: String?
  var text = ""
  var domain = Domain.global

  /// The largest number of entities of a request.
  static let most = 500

  /// Parses `{"request": "DRILL", "entities": [{"PERM_ID": …, "REFCON": …}]}`. Throws a problem with all errors.
  init(_ body: [UInt8]) throws {
    var reader = MemberReader(try ParsedJSON.read(body), at: "")
    let (request, other) = (reader.text("request"), reader.text("requestKey"))
    kind = .root
    if let name = request ?? other, let kind = Kind(rawValue: name) {
      self.kind = kind
    } else {
      reader.mistake("request", "Expected one of \(Kind.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    let values = reader.array("entities")
    category = reader.text("category")
    text = reader.text("searchtext") ?? ""
    if let name = reader.text("searchdomain") {
      if let domain = Domain(rawValue: name) {
        self.domain = domain
      } else {
        reader.mistake("searchdomain", "Expected one of \(Domain.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
    }
    if values.count > Self.most { reader.mistake("entities", "Expected at most \(Self.most) entities.") }
    if kind == .search, text.allSatisfy(\.isWhitespace) { reader.mistake("searchtext", "Write what to search for.") }
    reader.refuseOthers()
    var mistakes = reader.mistakes
    for (number, value) in values.enumerated() {
      var entity = MemberReader(value, at: "/entities/\(number)")
      if let id = entity.text("PERM_ID", isRequired: true) { entities.append(id) }
      // What the hub gave is opaque to the client, and the identifier is enough for the hub.
      _ = entity.text("REFCON", limit: 1 << 14, isLine: false)
      entity.refuseOthers()
      mistakes += entity.mistakes
    }
    guard mistakes.isEmpty else { throw Problem.invalid(mistakes) }
  }
}

/// A column of an answer. The raw values are openBIS' names.
enum ReadColumn: String, Sendable {
  case key = "KEY"
  case value = "VALUE"
  case permID = "PERM_ID"
  case refcon = "REFCON"
  case category = "CATEGORY"
  case summaryHeader = "SUMMARY_HEADER"
  case summary = "SUMMARY"
  case children = "CHILDREN"
  case identifier = "IDENTIFIER"
  case images = "IMAGES"
  case properties = "PROPERTIES"
  case rootLevel = "ROOT_LEVEL"
}

/// A row of an answer: a text for each column that it has; lists and objects are JSON in a text.
struct ReadRow: Sendable, Hashable {
  private var cells: [ReadColumn: String] = [:]

  init(_ cells: [ReadColumn: String]) { self.cells = cells }

  var permID: String { cells[.permID] ?? "" }
  var category: String { cells[.category] ?? "" }

  func json(_ columns: [ReadColumn]) -> JSON { .array(columns.map { .string(cells[$0] ?? "") }) }
}
