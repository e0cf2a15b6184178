import SyncKit

/// A request to a route, from a device.
struct HubCall: Sendable {
  let request: HubRequest
  let device: HubDevice
  /// The values in the path, in order.
  let values: [String]

  var parameters: [String: String] { request.parameters }
}

/// An address of the API with what answers there. The document of the API is made from the same table.
struct HubRoute: Sendable {
  let method: String
  /// The path with `{names}` for values.
  let path: String
  /// What a device must be allowed to do.
  let scope: Scope
  /// True if devices of all scopes may do it.
  var isForAll = false
  let summary: String
  /// The parameters of the query with what they are.
  var query: [(name: String, summary: String)] = []
  let answer: @Sendable (HubAPI, HubCall) async throws -> HubResponse

  /// The start of all paths.
  static let prefix = "/api/v1"

  /// Returns the values in a path; nil if the route does not have this path.
  func values(of path: String) -> [String]? {
    let pattern = (Self.prefix + self.path).split(separator: "/", omittingEmptySubsequences: false)
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard pattern.count == parts.count else { return nil }
    var values: [String] = []
    for (wanted, part) in zip(pattern, parts) {
      if wanted.hasPrefix("{") {
        guard !part.isEmpty, part.utf8.count <= 200 else { return nil }
        values.append(String(part))
      } else if wanted != part {
        return nil
      }
    }
    return values
  }

  /// The document of the API (OpenAPI 3.1).
  static var document: JSON {
    var paths: JSON = [:]
    for route in all {
      var operation: JSON = [
        "summary": .string(route.summary),
        "responses": ["200": ["description": "Done"], "default": ["description": "A problem (RFC 9457)"]],
      ]
      let names = route.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
      let inPath = names.map { name -> JSON in
        ["name": .string(String(name)), "in": "path", "required": true, "schema": ["type": "string"]]
      }
      let inQuery = route.query.map { name, summary -> JSON in
        ["name": .string(name), "in": "query", "description": .string(summary), "schema": ["type": "string"]]
      }
      if !inPath.isEmpty || !inQuery.isEmpty { operation["parameters"] = .array(inPath + inQuery) }
      if route.method == "POST" {
        operation["requestBody"] = ["content": ["application/json": ["schema": ["type": "object"]]]]
      }
      var item = paths[prefix + route.path] ?? [:]
      item[route.method.lowercased()] = operation
      paths[prefix + route.path] = item
    }
    return [
      "openapi": "3.1.0", "info": ["title": "syncd hub", "version": "1"], "paths": paths,
    ]
  }
}
