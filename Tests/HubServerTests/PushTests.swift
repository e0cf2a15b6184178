import CurlHTTP
import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import Testing

@testable import Hub

/// From a date in a file to the browser of a device, by the real service.
@Suite("Reminders of the service") struct PushTests {
  @Test(
    "a date of an entry reaches the device, and once if the program is killed while it shows the alert",
    arguments: [nil, "entries.alert.shown=kill@first"])
  func date(failpoints: String?) async throws {
    guard let service = try await PushService() else { return }
    let program = try HubProgram(
      ["a.org": "* Nothing today\n"], remote: false, hub: "listen = 0\n[hub.push]\nhosts = [\"\(service.host)\"]")
    let token = try await program.token("phone")
    let first = try await program.service()
    let subscribed = try await first.send("POST", "/api/v1/push", try await service.subscription(), token: token)
    #expect(subscribed.status == 200, "\(subscribed)")
    #expect(try await first.stop().status == 0)
    // A date ten minutes ago, and a record of a service that ran an hour ago.
    let minute = Int(Date().timeIntervalSince1970) / 60
    try program.write("until \((minute - 60) * 60) \(minute - 60)\n", to: "state/alerts")
    try program.write("* TODO Dentist\nSCHEDULED: <\(stamp(minute - 10))>\n", to: "org/a.org")
    if let failpoints {
      var command = program.command([])
      command.environment["SYNCD_FAILPOINTS"] = failpoints
      #expect(try await command.start().ended().status != 0)
    }
    let second = try await program.service()
    let message = try #require(try await service.received(atLeast: 1).first)
    #expect(message.members["title"]?.hasSuffix("TODO Dentist") == true, "\(message.text)")
    let entry = try #require(message.members["entry"])
    #expect(try await second.send("GET", "/api/v1/items/\(entry)", token: token).json["title"] == "Dentist")
    let date = try #require(message.members["date"])
    let snooze = try await second.send("POST", "/api/v1/alerts/\(date)/snooze", #"{"minutes": 60}"#, token: token)
    #expect(snooze.status == 200, "\(snooze)")
    #expect(try await second.stop().status == 0)
    // A killed program may have sent the message before: then the service keeps one of the two, which have one topic.
    let messages = try await service.received()
    #expect(Set(messages.map(\.topic)).count == 1 && messages.count <= (failpoints == nil ? 1 : 2), "\(messages)")
  }

  private func stamp(_ minute: Int) -> String {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.dateFormat = "yyyy-MM-dd EEE HH:mm"
    return format.string(from: Date(timeIntervalSince1970: Double(minute * 60)))
  }
}
