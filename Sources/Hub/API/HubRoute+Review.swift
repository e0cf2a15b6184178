import OrgKit
import SyncDaemon
import SyncKit

extension HubRoute {
  /// The routes for the review of the inbox.
  static let reviewing: [HubRoute] = [
    HubRoute(
      method: "GET", path: "/review", scope: .read,
      summary: "What `syncd review` asks about: the entries of the inbox, what does not advance, and the tasks of today"
    ) { hub, _ in
      let reader = try await HubReader(hub.configuration, hub.files)
      let days = try StateFolder(path: hub.configuration.stateFolder).reviewDays()
      return HubResponse(try reader.review(inbox: hub.configuration.store.settings.inbox, days))
    },
    HubRoute(
      method: "POST", path: "/review", scope: .all, summary: "Count the review of a day as completed"
    ) { hub, call in
      let today = OrgZone.local.moment(at: Int(Runtime.real.now().seconds)).day
      let day = try reviewed(call.request.body, today: today)
      let state = StateFolder(path: hub.configuration.stateFolder)
      let days = try await hub.writer.change {
        try state.recordReview(on: day)
        return try state.reviewDays()
      }
      return HubResponse(["done": .boolean(days.contains(today)), "streak": .integer(days.streak(on: today))])
    },
  ]

  /// Reads `{"day": "2026-03-10"}`: a day of the last week, because a device may have been without the hub, or of a time zone further
  /// east.
  private static func reviewed(_ body: [UInt8], today: OrgDay) throws -> OrgDay {
    var reader = MemberReader(try ParsedJSON.read(body), at: "")
    let day = reader.text("day", isRequired: true).map(OrgDay.init(iso:))
    reader.refuseOthers()
    guard reader.mistakes.isEmpty else { throw Problem.invalid(reader.mistakes) }
    guard case let day?? = day, -7...1 ~= day.number - today.number else {
      throw Problem.invalid("/day", "Write a day of the last week as 2026-03-10.")
    }
    return day
  }
}
