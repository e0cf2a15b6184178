import OrgKit
import SyncDaemon
import SyncKit

extension HubRoute {
  /// All routes that need a session.
  static let all: [HubRoute] =
    reading + history + readService + reviewing + reporting + deciding + writing + reminders + devices + pairing

  private static let reading: [HubRoute] = [
    HubRoute(
      method: "GET", path: "/session", scope: .read, isForAll: true, summary: "This device, the store and the day"
    ) { hub, call in
      let reader = try await HubReader(hub.configuration, hub.files)
      return HubResponse([
        "device": call.device.json, "store": .string(hub.configuration.storeName),
        "version": .string(ProgramVersion.number), "today": .string(reader.items.now.day.iso),
        "states": try reader.states(), "inbox": hub.inbox, "batch": .integer(try hub.database.lastBatch()),
      ])
    },
    HubRoute(
      method: "GET", path: "/agenda", scope: .read, summary: "The agenda of some days",
      query: [("from", "First day, such as 2026-03-10; default today"), ("days", "Number of days, 1 to 62; default 1")]
    ) { hub, call in
      let reader = try await HubReader(hub.configuration, hub.files)
      let days = try reader.number(call.parameters, "days", in: 1...62) ?? 1
      return HubResponse(try reader.agenda(from: call.parameters["from"], days: days))
    },
    HubRoute(
      method: "GET", path: "/items", scope: .read, summary: "Entries that a query selects",
      query: [
        ("q", "Query as for `syncd search`"), ("match", "Match of tags and properties in Org's syntax"),
        ("tag", "Only entries with this tag"), ("file", "Only entries of the file with this identifier or path"),
        ("state", "open or done"), ("limit", "Number of entries, 1 to 500; default 100"),
        ("after", "What `next` of the page before says"), ("body", "true: with the texts and checkboxes"),
      ]
    ) { hub, call in
      HubResponse(try await HubReader(hub.configuration, hub.files).list(call.parameters))
    },
    HubRoute(method: "GET", path: "/items/{id}", scope: .read, summary: "An entry with its text and children") {
      hub, call in
      let reader = try await HubReader(hub.configuration, hub.files)
      guard let found = try reader.entry(call.values[0]) else { throw try hub.missing(call.values[0], reader) }
      return HubResponse(found.file.detail(found.place))
    },
    HubRoute(method: "GET", path: "/tags", scope: .read, summary: "Tags with the number of entries that have them") {
      hub, _ in HubResponse(try await HubReader(hub.configuration, hub.files).tags())
    },
    HubRoute(method: "GET", path: "/files", scope: .read, summary: "The Org files of the store") { hub, _ in
      HubResponse(try await HubReader(hub.configuration, hub.files).allFiles())
    },
    HubRoute(method: "GET", path: "/files/{id}/outline", scope: .read, summary: "The entries of a file in order") {
      hub, call in
      let file = try await hub.file(call.values[0])
      return HubResponse(["file": file.summary, "items": .array(file.items.indices.map(file.json))])
    },
    HubRoute(method: "GET", path: "/files/{id}/text", scope: .read, summary: "A file, byte for byte") { hub, call in
      HubResponse(200, "text/plain; charset=utf-8", try await hub.file(call.values[0]).document.bytes)
    },
    HubRoute(
      method: "GET", path: "/templates", scope: .read, isForAll: true, summary: "The capture templates"
    ) { hub, _ in HubResponse(try await HubReader(hub.configuration, hub.files).templates()) },
    HubRoute(
      method: "GET", path: "/targets", scope: .read, summary: "Places to which an entry can be moved",
      query: [
        ("level", "Deepest level of headlines, 1 to 10; default 2"),
        ("limit", "Number of places, 1 to 100000; default 100000"), ("q", "Words that the names must have"),
      ]
    ) { hub, call in
      let reader = try await HubReader(hub.configuration, hub.files)
      let level = try reader.number(call.parameters, "level", in: 1...10) ?? 2
      let limit = try reader.number(call.parameters, "limit", in: 1...100_000) ?? 100_000
      return HubResponse(try reader.targets(level: level, limit: limit, having: call.parameters["q"] ?? ""))
    },
    HubRoute(method: "GET", path: "/habits", scope: .read, summary: "Habits with their graphs") { hub, _ in
      HubResponse(try await HubReader(hub.configuration, hub.files).habits())
    },
    HubRoute(
      method: "GET", path: "/bundles", scope: .read, summary: "Entries to do before or after an event"
    ) { hub, _ in
      HubResponse(try await HubReader(hub.configuration, hub.files).bundles())
    },
    HubRoute(method: "GET", path: "/clock", scope: .read, summary: "The running clock") { hub, _ in
      HubResponse(try await HubReader(hub.configuration, hub.files).clock())
    },
    HubRoute(method: "GET", path: "/events", scope: .read, isForAll: true, summary: "Events as they happen") {
      hub, call in
      HubResponse(events: try hub.subscribe(call.device))
    },
    HubRoute(method: "GET", path: "/openapi.json", scope: .read, isForAll: true, summary: "This document") { _, _ in
      HubResponse(document)
    },
  ]

  private static let reporting: [HubRoute] = [
    HubRoute(method: "GET", path: "/status", scope: .read, summary: "What `syncd status --json` prints") { hub, _ in
      HubResponse(try await hub.reports.status())
    },
    HubRoute(method: "GET", path: "/conflicts", scope: .read, summary: "What `syncd conflicts --json` prints") {
      hub, _ in HubResponse(try await hub.reports.conflicts())
    },
    HubRoute(
      method: "GET", path: "/conflicts/changes", scope: .read, summary: "The changes of both sides of a conflict",
      query: [
        ("path", "Path of the file"), ("remote", "Name of the remote"), ("pass", "Pass that opened the conflict"),
      ]
    ) { hub, call in
      guard let path = call.parameters["path"], let remote = call.parameters["remote"],
        let pass = call.parameters["pass"].flatMap(Int.init)
      else { throw Problem.invalid("?path", "Name path, remote and pass of a conflict, as /conflicts lists it.") }
      return HubResponse(try await hub.reports.changes(ListedConflict(path: path, remote: remote, pass: pass)))
    },
    HubRoute(method: "GET", path: "/holds", scope: .read, summary: "Deletions that wait for approval") { hub, _ in
      HubResponse(try await hub.reports.holds())
    },
    HubRoute(method: "GET", path: "/settings", scope: .all, summary: "What `syncd settings show --json` prints") {
      hub, _ in HubResponse(try await hub.reports.settings())
    },
    HubRoute(
      method: "GET", path: "/passes", scope: .read, summary: "What `syncd log --json` prints",
      query: [("limit", "Number of passes, 1 to 500; default 50")]
    ) { hub, call in
      let limit = Int(call.parameters["limit"] ?? "50").flatMap { (1...500).contains($0) ? $0 : nil }
      guard let limit else { throw Problem.invalid("?limit", "Write a number from 1 to 500.") }
      return HubResponse(try await hub.reports.passes(limit))
    },
  ]

  /// Returns a number in the path.
  private static func wholeNumber(_ text: String) throws(Problem) -> Int {
    guard let number = Int(text) else { throw Problem.notFound }
    return number
  }

  /// Returns the conflict and the side in `{"path": …, "remote": …, "pass": 7, "side": "ours"}`.
  private static func conflict(_ body: [UInt8]) throws -> (ListedConflict, Side) {
    var reader = MemberReader(try ParsedJSON.read(body), at: "")
    let (path, remote) = (
      reader.text("path", isRequired: true, limit: 1 << 14), reader.text("remote", isRequired: true)
    )
    let (pass, word) = (reader.number("pass", isRequired: true), reader.text("side", isRequired: true))
    reader.refuseOthers()
    let side: Side? = word == "ours" ? .local : word == "theirs" ? .remote : nil
    if word != nil, side == nil { reader.mistake("side", "Write ours or theirs.") }
    guard reader.mistakes.isEmpty, let path, let remote, let pass, let side else {
      throw Problem.invalid(reader.mistakes)
    }
    return (ListedConflict(path: path, remote: remote, pass: pass), side)
  }

  private static let deciding: [HubRoute] = [
    HubRoute(
      method: "POST", path: "/passes/{number}/undo", scope: .all, summary: "Undo a pass, as `syncd undo` does"
    ) { hub, call in
      let number = try wholeNumber(call.values[0])
      let undo = hub.reports.undo
      let document = try await hub.writer.change { try await undo(number) }
      hub.announceChange()
      return HubResponse(document)
    },
    HubRoute(
      method: "POST", path: "/conflicts/resolve", scope: .all, summary: "Resolve a conflict, as `syncd resolve` does"
    ) { hub, call in
      let (name, side) = try conflict(call.request.body)
      let resolve = hub.reports.resolve
      let document = try await hub.writer.change { try await resolve(name, side) }
      hub.announceChange()
      return HubResponse(document)
    },
    HubRoute(
      method: "POST", path: "/holds/{id}/allow", scope: .all, summary: "Approve held deletions, and begin a pass"
    ) { hub, call in
      let (access, id) = (hub.access, call.values[0])
      let count = try await hub.writer.change {
        try await access.with { try await $0.allow(id) }
      }
      hub.sync()
      return HubResponse(["id": .string(id), "allowed": .integer(count)])
    },
    HubRoute(method: "POST", path: "/holds/{id}/deny", scope: .all, summary: "Deny held deletions, and begin a pass") {
      hub, call in
      let (access, id) = (hub.access, call.values[0])
      let count = try await hub.writer.change {
        try await access.with { try await $0.deny(id) }
      }
      hub.sync()
      return HubResponse(["id": .string(id), "denied": .integer(count)])
    },
  ]

  private static let writing: [HubRoute] = [
    HubRoute(method: "POST", path: "/batches", scope: .all, summary: "Edit entries by numbered patches") { hub, call in
      let now = OrgZone.local.moment(at: Int(Runtime.real.now().seconds))
      let batch = try Batch(call.request.body, at: now)
      if let owner = try hub.database.device(ofClient: batch.client), owner != call.device.id,
        try !hub.database.isSilent(owner, since: call.device)
      {
        throw Problem.invalid("/client", "This client belongs to another device. Make a new one.")
      }
      return try await hub.carryOut(batch, of: call.device)
    },
    HubRoute(method: "POST", path: "/capture", scope: .capture, summary: "Add an entry to the inbox") { hub, call in
      var reader = MemberReader(try ParsedJSON.read(call.request.body), at: "")
      let text = reader.text("text", isRequired: true, limit: 1 << 18, isLine: false) ?? ""
      reader.refuseOthers()
      let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      let title = String(lines.first ?? "").filter { !$0.isNewline }
      if title.allSatisfy(\.isWhitespace), reader.mistakes.isEmpty {
        reader.mistake("text", "The first line becomes the title; it must not be empty.")
      }
      guard reader.mistakes.isEmpty else { throw Problem.invalid(reader.mistakes) }
      var patch = Patch(operation: .add)
      patch.fields[.title] = Patch.Change(old: nil, new: title)
      if lines.count > 1 { patch.fields[.body] = Patch.Change(old: nil, new: String(lines[1])) }
      return try await hub.carryOut(Batch(once: patch), of: call.device)
    },
    HubRoute(method: "POST", path: "/sync", scope: .all, summary: "Begin a pass now") { hub, _ in
      hub.sync()
      return HubResponse(["status": "begun"], status: 202)
    },
  ]

  private static let devices: [HubRoute] = [
    HubRoute(method: "GET", path: "/devices", scope: .all, summary: "The paired devices") { hub, call in
      let list = try hub.database.devices().map { device in
        var json = device.json
        json["current"] = .boolean(device.id == call.device.id)
        return json
      }
      return HubResponse(["devices": .array(list)])
    },
    HubRoute(method: "DELETE", path: "/devices/{id}", scope: .all, summary: "Revoke a device") { hub, call in
      let revoked = try hub.database.revoke(call.values[0])
      guard !revoked.isEmpty else { throw Problem.notFound }
      for device in revoked { hub.end(device.id) }
      return HubResponse(["revoked": .array(revoked.map(\.json))])
    },
  ]
}

extension HubAPI {
  /// Carries out a batch, and tells all clients.
  fileprivate func carryOut(_ batch: Batch, of device: HubDevice) async throws -> HubResponse {
    let result = try await writer.carryOut(batch, of: device)
    if let number = result.number, let files = result.files, !files.isEmpty {
      events.send(
        HubEvent(
          name: "batch", number: number,
          data: [
            "batch": .integer(number), "client": .string(batch.client),
            "files": .array(files.map(JSON.string)), "items": .array(result.items.map(JSON.string)),
          ]))
    }
    return HubResponse(200, "application/json", Array(result.answer.utf8))
  }

  /// The file to which entries without a target are added.
  fileprivate var inbox: JSON {
    let path = configuration.store.settings.inbox
    return ["file": .string(path), "fileId": .string(ItemID.file(path))]
  }

  /// Returns the file with an identifier.
  fileprivate func file(_ id: String) async throws -> HubFile {
    guard let file = try await HubReader(configuration, files).file(id: id) else { throw Problem.notFound }
    return file
  }

  /// Returns the problem for an entry that was not found: with its new identifier, if a batch gave it one.
  func missing(_ id: String, _ reader: HubReader) throws -> Problem {
    guard let newer = try database.newer(id), try reader.entry(newer) != nil else { return Problem.notFound }
    var problem = Problem(404, "not-found", "The entry has another identifier now.")
    problem.members = ["id": .string(newer)]
    return problem
  }
}
