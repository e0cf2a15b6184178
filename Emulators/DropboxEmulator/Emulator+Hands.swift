internal import EmulatorWire
internal import SettingsRegistry

/// Actions of a test without HTTP: another client's changes, and access to the internal state.
extension Emulator {
  /// Executes an order, like `POST /emulator/control`.
  public func control(_ order: String) async throws {
    let reply = await answer(
      Call(
        method: "POST", path: "/emulator/control", headers: ["content-type": "application/json"],
        body: Array(order.utf8)))
    guard reply.status == 200 else { throw EmulatorError(String(decoding: reply.body, as: UTF8.self)) }
  }

  /// Writes a file unconditionally; returns its rev.
  @discardableResult public func put(_ text: String, at path: String) throws -> String {
    defer { contentChanged() }
    return try account.write(Array(text.utf8), Commit(path: path, mode: .overwrite)).rev ?? ""
  }

  /// Removes a file or folder with everything in it.
  public func remove(_ path: String) throws {
    defer { contentChanged() }
    _ = try account.delete(DeleteArgument(path: path))
  }

  /// Renames a file or folder.
  public func move(_ path: String, to other: String) throws {
    defer { contentChanged() }
    _ = try account.move(MoveArgument(fromPath: path, toPath: other))
  }

  /// Runs `act` just before the next call of a route, as another client would.
  public func before(_ route: String, _ act: @escaping @Sendable (isolated Emulator) throws -> Void) {
    interruptions[route] = act
  }

  /// The texts of all files below a folder, by their paths relative to it.
  public func texts(below folder: String) -> [String: String] {
    var texts: [String: String] = [:]
    for (key, item) in account.items where Names.isInside(key, Names.key(folder), deeply: true) {
      guard let bytes = item.rev.flatMap({ account.versions[$0]?.bytes }) else { continue }
      texts[String(item.display.dropFirst(folder.count + 1))] = String(decoding: bytes, as: UTF8.self)
    }
    return texts
  }

  /// The folders below a folder, by their paths relative to it.
  public func folders(below folder: String) -> [String] {
    account.items.filter { !$0.value.isFile && Names.isInside($0.key, Names.key(folder), deeply: true) }
      .map { String($0.value.display.dropFirst(folder.count + 1)) }.sorted()
  }

  /// The number of calls per route since the start, or since the order `recount`.
  public func calls() -> [String: Int] { counts }
}
