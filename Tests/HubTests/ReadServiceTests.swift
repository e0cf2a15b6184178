import Foundation
import ProgramTesting
import SyncKit
import Testing

@testable import Hub

/// The read service, as a program that knows openBIS' requests uses it.
@Suite("The read service") struct ReadServiceTests {
  private let device: TestDevice

  init() throws {
    device = try HubFolder(
      [
        "inbox.org": "* Captured\nIts first line.\nAnother.\n",
        "work.org": """
        #+CATEGORY: Job
        * TODO [#A] Project :work:
        DEADLINE: <2199-03-11 Mon>
        :PROPERTIES:
        :WHERE: Office
        :END:
        ** TODO Part
        *** Detail of the part
        **** Too deep
        ** NEXT Other part :home:
        """,
        "habits.org": "* TODO Run\nSCHEDULED: <2026-03-11 Wed .+1d>\n:PROPERTIES:\n:STYLE: habit\n:END:\n",
      ], isTimeless: true
    ).device("viewer", .read)
  }

  /// An answer: the columns and the rows by column.
  private func ask(_ body: String) async throws -> (columns: [String], rows: [[String: String]]) {
    let answer = await device.send("POST", "/read", body)
    guard answer.status == 200, case .array(let columns)? = answer.json["columns"],
      case .array(let rows)? = answer.json["rows"]
    else { throw TestFailure("\(answer.status) \(answer.json.line)") }
    let names = try columns.map { try JSON?.some($0).string }
    let cells = try rows.map { row -> [String: String] in
      guard case .array(let values) = row, values.count == names.count else { throw TestFailure(row.line) }
      return Dictionary(uniqueKeysWithValues: zip(names, try values.map { try JSON?.some($0).string }))
    }
    return (names, cells)
  }

  private func headers(_ rows: [[String: String]]) -> [String] { rows.compactMap { $0["SUMMARY_HEADER"] } }

  @Test(
    "each request has openBIS' columns, by either name of the member",
    arguments: [
      ("CLIENT_PREFS", "KEY VALUE"), ("NAVIGATION", "PERM_ID REFCON CATEGORY SUMMARY_HEADER SUMMARY ROOT_LEVEL"),
      ("ROOT", "PERM_ID REFCON CATEGORY SUMMARY_HEADER SUMMARY CHILDREN ROOT_LEVEL"),
      ("DRILL", "PERM_ID REFCON CATEGORY SUMMARY_HEADER SUMMARY CHILDREN"),
      ("DETAIL", "PERM_ID REFCON CATEGORY SUMMARY_HEADER SUMMARY IDENTIFIER IMAGES PROPERTIES"),
      ("SEARCH", "PERM_ID REFCON CATEGORY SUMMARY_HEADER SUMMARY CHILDREN"),
    ])
  func columns(request: String, columns: String) async throws {
    for member in ["request", "requestKey"] {
      let answer = try await ask(#"{"\#(member)": "\#(request)", "searchtext": "part"}"#)
      #expect(answer.columns == columns.split(separator: " ").map(String.init))
    }
  }

  @Test("a device learns how often to ask, and where it can search")
  func preferences() async throws {
    let rows = try await ask(#"{"request": "CLIENT_PREFS"}"#).rows
    #expect(rows.map { $0["KEY"] } == ["ROOT_SET_REFRESH_INTERVAL", "SEARCH_DOMAINS"] && rows[0]["VALUE"] == "60")
    let domains = try ParsedJSON.read(Array(try #require(rows[1]["VALUE"]).utf8))
    guard case .array(let list) = domains else { throw TestFailure(domains.line) }
    #expect(list.map { $0["key"] } == ["GLOBAL", "TITLE", "TAG", "FILE", "PROPERTY"])
  }

  @Test("the root has the beginnings, the inbox and the agenda; a category leaves the others out")
  func root() async throws {
    let rows = try await ask(#"{"request": "ROOT"}"#).rows
    #expect(headers(rows).prefix(5) == ["Forecast", "Inbox", "Files", "Tags", "Habits"])
    #expect(headers(rows).contains("Captured") && headers(rows).contains("TODO Run"), "\(headers(rows))")
    #expect(rows.allSatisfy { ($0["ROOT_LEVEL"] == "1") == ($0["CATEGORY"] == "Navigation") })
    #expect(headers(try await ask(#"{"request": "ROOT", "category": "inbox"}"#).rows) == ["Captured"])
    #expect(headers(try await ask(#"{"request": "NAVIGATION"}"#).rows).count == 5)
  }

  @Test("a drill reaches the grandchildren, and no further; what is unknown leaves the others")
  func drill() async throws {
    let project = try await device.id("Project")
    let body = #"{"request": "DRILL", "entities": [{"PERM_ID": "xnone"}, {"PERM_ID": "\#(project)", "REFCON": "{}"}]}"#
    let rows = try await ask(body).rows
    #expect(
      headers(rows) == ["TODO Project", "TODO Part", "NEXT Other part", "Detail of the part"], "\(headers(rows))")
    let below = try await [device.id("Part"), device.id("Other part")]
    #expect(rows[0]["CHILDREN"] == JSON.array(below.map(JSON.string)).line && rows[2]["CHILDREN"] == "[]")
  }

  @Test(
    "from each beginning, a device reaches entries",
    arguments: [
      ("nav:inbox", "Captured"), ("nav:files", "work.org"), ("nav:tags", "home"), ("nav:habits", "TODO Run"),
      ("tag:home", "NEXT Other part"),
    ])
  func beginnings(id: String, header: String) async throws {
    let rows = try await ask(#"{"request": "DRILL", "entities": [{"PERM_ID": "\#(id)"}]}"#).rows
    #expect(headers(rows).contains(header), "\(headers(rows))")
  }

  @Test("the detail has everything of an entry, and a REFCON that changes with it")
  func detail() async throws {
    func row() async throws -> [String: String] {
      let id = try await device.id("Project")
      return try #require(try await ask(#"{"request": "DETAIL", "entities": [{"PERM_ID": "\#(id)"}]}"#).rows.first)
    }
    let before = try await row()
    #expect(before["CATEGORY"] == "Job" && before["SUMMARY"] == "<2199-03-11 Mon>")
    #expect(before["IDENTIFIER"] == "work.org: Project" && before["IMAGES"] == "{}")
    let properties = try ParsedJSON.read(Array(try #require(before["PROPERTIES"]).utf8))
    guard case .array(let list) = properties else { throw TestFailure(properties.line) }
    #expect(list.map { $0["key"] } == ["DEADLINE", "TAGS", "WHERE"] && list.last?["value"] == "Office")
    let text = try #require(device.folder.text("work.org"))
    try device.folder.write(text.replacing("Office", with: "Home"), to: "work.org")
    #expect(try await row()["REFCON"] != before["REFCON"])
  }

  @Test(
    "a search looks in its domain",
    arguments: [
      ("first", "null", ["Captured"]), ("part", #""TITLE""#, ["TODO Part", "Detail of the part", "NEXT Other part"]),
      ("HOME", #""TAG""#, ["NEXT Other part"]), ("work", #""FILE""#, ["work.org"]),
      ("office", #""PROPERTY""#, ["TODO Project"]),
      ("i.todo part", #""GLOBAL""#, ["TODO Part"]),
    ])
  func search(text: String, domain: String, found: [String]) async throws {
    let rows = try await ask(#"{"request": "SEARCH", "searchtext": "\#(text)", "searchdomain": \#(domain)}"#).rows
    #expect(headers(rows) == found)
  }

  @Test("what is not a request is refused with the names of the six")
  func refused() async throws {
    let bodies = [
      #"{"request": "DELETE"}"#, "{}", #"{"request": "SEARCH"}"#,
      #"{"request": "SEARCH", "searchtext": "b.(", "searchdomain": "X"}"#,
      #"{"request": "DRILL", "entities": [{}]}"#, #"{"request": "ROOT", "more": 1}"#,
    ]
    for body in bodies { #expect(await device.send("POST", "/read", body).status == 422, "\(body)") }
    let answer = await device.send("POST", "/read", bodies[0]).json.line
    #expect(ReadRequest.Kind.allCases.allSatisfy { answer.contains($0.rawValue) }, "\(answer)")
    let capturer = try device.folder.device("shortcut", .capture)
    #expect(await capturer.send("POST", "/read", #"{"request": "ROOT"}"#).status == 403)
  }
}
