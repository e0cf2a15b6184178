internal import EmulatorWire

/// Actions of a test without HTTP: another client's changes, and access to the internal state.
extension Emulator {
  /// Executes an order, like `POST /emulator/control`.
  public func control(_ order: String) async throws {
    let reply = await answer(Call(method: "POST", path: "/emulator/control", body: Array(order.utf8)))
    guard reply.status == 200 else { throw EmulatorError(String(decoding: reply.body, as: UTF8.self)) }
  }

  /// Writes a file unconditionally, and creates missing folders.
  public func put(_ text: String, at path: String) throws {
    defer { notifier.notify(after: .zero) }
    let (folder, name) = try place(path)
    if let file = account.item(name, in: folder) {
      _ = try account.replace(file, by: Array(text.utf8), modified: nil)
    } else {
      _ = try account.createFile(name, in: folder, Array(text.utf8), modified: nil)
    }
  }

  /// Creates a folder, and missing folders above it; returns its id.
  @discardableResult public func createFolder(_ path: String) throws -> String {
    defer { notifier.notify(after: .zero) }
    return try folder(path.split(separator: "/").map(String.init))
  }

  /// Creates an item of the type `web_link`.
  public func createLink(_ path: String) throws {
    let (folder, name) = try place(path)
    _ = account.createLink(name, in: folder)
  }

  /// Removes a file or folder with everything in it.
  public func remove(_ path: String) throws {
    defer { notifier.notify(after: .zero) }
    account.trash(try item(path))
  }

  /// Renames or moves a file or folder.
  public func move(_ path: String, to other: String) throws {
    defer { notifier.notify(after: .zero) }
    let (folder, name) = try place(other)
    _ = try account.move(try item(path), to: name, in: folder)
  }

  /// Changes the etag of an item without changing its content, as a new description does.
  public func touch(_ path: String) throws {
    var item = try item(path)
    item.changes += 1
    account.store(item, .renamed)
  }

  /// Runs `act` just before the next call of a route, as another client would.
  public func before(_ route: String, _ act: @escaping @Sendable (isolated Emulator) throws -> Void) {
    interruptions[route] = act
  }

  /// The texts of all files below a folder, by their paths relative to it.
  public func texts(below path: String) -> [String: String] {
    guard let folder = try? item(path) else { return [:] }
    var texts: [String: String] = [:]
    for item in account.items(in: folder.id) {
      if let version = item.version {
        texts[item.name] = String(decoding: version.bytes, as: UTF8.self)
      } else if item.isFolder {
        for (name, text) in self.texts(below: "\(path)/\(item.name)") { texts["\(item.name)/\(name)"] = text }
      }
    }
    return texts
  }

  /// The time at which a file was written, according to the client that wrote it.
  public func contentModified(_ path: String) throws -> String { try item(path).contentModified }

  /// The id of an item.
  public func id(of path: String) throws -> String { try item(path).id }

  /// The number of calls per route since the start, or since the order `recount`.
  public func calls() -> [String: Int] { counts }

  /// The number of requests to other hosts than the API's that came with an access token.
  public func tokenLeaks() -> Int { exposedTokens }

  /// The number of upload sessions that were neither committed nor removed.
  public func openSessions() -> Int { account.sessions.count }

  private func item(_ path: String) throws -> Item {
    var item = try account.folder(Account.root)
    for name in path.split(separator: "/") {
      guard let next = account.item(String(name), in: item.id) else { throw EmulatorError("\(path) not found") }
      item = next
    }
    return item
  }

  private func place(_ path: String) throws -> (folder: String, name: String) {
    let parts = path.split(separator: "/").map(String.init)
    return (try folder(parts.dropLast()), parts.last ?? "")
  }

  private func folder(_ names: [String]) throws -> String {
    var id = Account.root
    for name in names {
      id = try account.item(name, in: id)?.id ?? account.createFolder(name, in: id).id
    }
    return id
  }
}
