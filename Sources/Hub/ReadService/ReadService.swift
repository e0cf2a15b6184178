import OrgKit
import SyncDaemon
import SyncKit

/// The read service: tables of entities, with which programs that know openBIS' `ipad-read-service` browse the store.
struct ReadService {
  private let reader: HubReader
  private let inbox: String

  /// - Parameter inbox: the path of the inbox.
  init(_ reader: HubReader, inbox: String) { (self.reader, self.inbox) = (reader, inbox) }

  /// Answers a request: `{"columns": […], "rows": [[…]]}`.
  func answer(_ request: ReadRequest) throws -> JSON {
    let columns = request.kind.columns
    return [
      "columns": .array(columns.map { .string($0.rawValue) }),
      "rows": .array(try rows(request).map { $0.json(columns) }),
    ]
  }

  private func rows(_ request: ReadRequest) throws -> [ReadRow] {
    switch request.kind {
    case .preferences: return Self.preferences
    case .navigation: return try rows(of: ReadEntity.Navigation.allCases.map(ReadEntity.navigation))
    case .root:
      let rows = try rows(of: root())
      return rows.filter { request.category == nil || $0.category == request.category }
    case .drill: return try rows(of: request.entities.compactMap(entity).flatMap(drilled))
    case .detail: return try rows(of: request.entities.compactMap(entity))
    case .search: return try rows(of: found(request.text, in: request.domain))
    }
  }

  /// The rows of entities, each once.
  private func rows(of entities: [ReadEntity]) throws -> [ReadRow] {
    var seen: Set<String> = []
    return try entities.compactMap { entity in
      guard seen.insert(entity.id).inserted else { return nil }
      return entity.row(children: try children(of: entity).map(\.id))
    }
  }

  private static var preferences: [ReadRow] {
    let domains = ReadRequest.Domain.allCases.map { domain -> JSON in
      ["key": .string(domain.rawValue), "label": .string(domain.label)]
    }
    return [
      // In seconds.
      ReadRow([.key: "ROOT_SET_REFRESH_INTERVAL", .value: "60"]),
      ReadRow([.key: "SEARCH_DOMAINS", .value: JSON.array(domains).line]),
    ]
  }

  // MARK: Entities

  /// The entity with an identifier; nil if there is none.
  private func entity(_ id: String) throws -> ReadEntity? {
    if id.hasPrefix("nav:") { return ReadEntity.Navigation(rawValue: String(id.dropFirst(4))).map { .navigation($0) } }
    if id.hasPrefix("tag:") {
      let name = String(id.dropFirst(4))
      return try reader.items.tagCounts()[name] == nil ? nil : .tag(name)
    }
    if let file = reader.file(id: id) { return .file(file) }
    return try reader.entry(id).map { .entry($0.file, $0.place) }
  }

  /// What a device should always have: the beginnings, the entries of the inbox, and those of the agenda.
  private func root() throws -> [ReadEntity] {
    let places = ReadEntity.Navigation.allCases.map(ReadEntity.navigation)
    return places + (try children(of: .navigation(.inbox))) + (try children(of: .navigation(.forecast)))
  }

  /// An entity with its children and their children.
  private func drilled(_ entity: ReadEntity) throws -> [ReadEntity] {
    let below = try children(of: entity)
    return [entity] + below + (try below.flatMap(children))
  }

  private func children(of entity: ReadEntity) throws -> [ReadEntity] {
    switch entity {
    case .navigation(let place): try children(of: place)
    case .tag(let name):
      try reader.items.select(try OrgQuery("t.\(name)")).filter { $0.tags.contains(name) }.compactMap(place)
    case .file(let file): file.document.entries.filter { $0.parent == nil }.map { .entry(file, $0.place) }
    case .entry(let file, let place): file.document.entries[place].children.map { .entry(file, $0.place) }
    }
  }

  private func children(of place: ReadEntity.Navigation) throws -> [ReadEntity] {
    switch place {
    case .forecast:
      try reader.items.agenda(from: reader.items.now.day, span: .days(14)).compactMap(\.item).compactMap(self.place)
    case .inbox: try reader.file(inbox).map { try children(of: .file($0)) } ?? []
    case .files: try reader.items.counts().compactMap { reader.file($0.path).map(ReadEntity.file) }
    case .tags: try reader.items.tagCounts().keys.sorted().map(ReadEntity.tag)
    case .habits: try reader.items.items(withProperty: ["STYLE"]).filter(\.isHabit).compactMap(self.place)
    }
  }

  private func place(_ item: OrgItem) -> ReadEntity? { reader.place(of: item).map { .entry($0, $1) } }

  // MARK: Search

  private func found(_ text: String, in domain: ReadRequest.Domain) throws -> [ReadEntity] {
    let words = text.lowercased().split(whereSeparator: \.isWhitespace)
    let hasAll = { (text: String) -> Bool in
      let text = text.lowercased()
      return words.allSatisfy { text.contains($0) }
    }
    let items: [OrgItem]
    switch domain {
    case .global: items = try reader.select(text, named: "/searchtext")
    case .file:
      let files = try reader.items.counts().map(\.path).filter(hasAll)
      return files.prefix(ReadRequest.most).compactMap { reader.file($0).map(ReadEntity.file) }
    case .title: items = try reader.items.all().joined().filter { hasAll($0.title) }
    case .tag:
      items = try reader.items.all().joined().filter { item in
        words.allSatisfy { word in item.allTags.contains { $0.lowercased() == word } }
      }
    case .property:
      items = try reader.items.all().joined().filter { item in item.properties.contains { hasAll($0.value) } }
    }
    return items.prefix(ReadRequest.most).compactMap(place)
  }
}

extension HubRoute {
  /// The route of the read service.
  static let readService: [HubRoute] = [
    HubRoute(
      method: "POST", path: "/read", scope: .read,
      summary: "Tables of entities, as openBIS' ipad-read-service answers: \(requests)"
    ) { hub, call in
      let request = try ReadRequest(call.request.body)
      let reader = try await HubReader(hub.configuration, hub.files)
      return HubResponse(try ReadService(reader, inbox: hub.configuration.store.settings.inbox).answer(request))
    }
  ]

  private static let requests = ReadRequest.Kind.allCases.map(\.rawValue).joined(separator: ", ")
}
