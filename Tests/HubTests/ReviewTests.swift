import SyncDaemon
import SyncKit
import Testing

@testable import Hub

/// The review as the web client gets it.
@Suite("The review for devices") struct ReviewTests {
  private func titles(_ list: JSON?) -> [String] {
    guard case .array(let items)? = list else { return [] }
    return items.compactMap { try? $0["title"].string }
  }

  @Test("it has the lists of `syncd review`, the entries with their texts")
  func lists() async throws {
    let device = try HubFolder([
      "inbox.org": "* Undecided\nIts text.\n* TODO Decided\nSCHEDULED: <2199-03-11 Mon>\n",
      "work.org":
        "#+TODO: TODO NEXT WAIT | DONE\n* NEXT Step\n* TODO Late\nDEADLINE: <2020-03-10 Tue>\n* WAIT Answer\n",
    ]).device()
    let json = await device.send("GET", "/review").json
    #expect(titles(json["inbox"]) == ["Undecided"] && titles(json["waiting"]) == ["Answer"], "\(json.line)")
    #expect(Set(titles(json["picks"])) == ["Step", "Late"] && json["done"] == false && json["streak"] == 0)
    guard case .array(let inbox)? = json["inbox"] else { return }
    let id = try await device.id("Undecided")
    #expect(try inbox[0]["body"].string == "Its text." && inbox[0]["id"].string == id)
  }

  @Test("a completed review counts for its day, also if it is sent twice or a day later")
  func counted() async throws {
    let folder = try HubFolder()
    let device = try folder.device()
    let today = try await device.send("GET", "/session").json["today"].string
    for _ in 0..<2 {
      let answer = await device.send("POST", "/review", #"{"day": "\#(today)"}"#)
      #expect(answer.status == 200 && answer.json["done"] == true && answer.json["streak"] == 1, "\(answer.json.line)")
    }
    #expect(await device.send("GET", "/review").json["done"] == true)
    for day in [#""2020-03-10""#, #""2199-03-10""#, #""today""#, "1", "null"] {
      #expect(await device.send("POST", "/review", "{\"day\": \(day)}").status == 422, "\(day)")
    }
    #expect(await (try folder.device("reader", .read)).send("POST", "/review", #"{"day": "\#(today)"}"#).status == 403)
  }
}
