internal import EmulatorWire

/// Actions of a test without HTTP: another writer's changes, and access to the internal state.
extension Emulator {
  /// Executes an order, like `POST /emulator/control`.
  public func control(_ order: String) throws {
    let reply = answer(Call(method: "POST", path: "/emulator/control", body: Array(order.utf8)))
    guard reply.status == 200 else { throw EmulatorError(String(decoding: reply.body, as: UTF8.self)) }
  }

  /// Creates a repository; without files it has no branch. Returns its folder.
  @discardableResult public func createRepository(_ name: String, files: [String: String] = [:]) throws -> String {
    try create(name, files: files)
    return try repository(name).folder
  }

  /// Commits changes of files as another writer; nil removes. Returns the commit.
  ///
  /// - Parameter parent: The commit to continue from, which may rewrite the branch; the tip if nil.
  @discardableResult public func push(
    _ files: [String: String?], to name: String, branch: String? = nil, parent: String? = nil
  ) throws -> String {
    let repository = try repository(name)
    return try push(files, to: repository, branch: branch ?? repository.defaultBranch, parent: parent)
  }

  /// Commits one entry of any mode, such as a link, as another writer.
  public func push(_ text: String, mode: String, at path: String, to name: String) throws {
    let repository = try repository(name)
    let reference = "refs/heads/\(repository.defaultBranch)"
    let old = repository.tip(reference)
    let id = mode == "160000" ? text : try repository.put("blob", Array(text.utf8))
    let root = try old.map { try repository.commit($0).tree }
    let tree = try repository.edited(root, [(path, Repository.Entry(mode: mode, id: id))])
    _ = repository.move(reference, from: old, to: try repository.putCommit(tree, old.map { [$0] } ?? [], "others"))
  }

  /// Makes Forgejo refuse changes of a file, as a protection rule of the branch does.
  public func protect(_ path: String, in name: String) throws { try repository(name).protectedFiles.insert(path) }

  /// Points the branch to another commit, as a forced push does.
  public func reset(_ name: String, to commit: String) throws {
    let repository = try repository(name)
    _ = try repository.git(["update-ref", "refs/heads/\(repository.defaultBranch)", commit])
  }

  /// Runs `act` just before the next call of a route, as another writer would.
  public func before(_ route: String, _ act: @escaping @Sendable (isolated Emulator) throws -> Void) {
    interruptions[route] = act
  }

  /// The tip of a branch, the default one if nil.
  public func tip(of name: String, branch: String? = nil) throws -> String? {
    let repository = try repository(name)
    return repository.tip("refs/heads/\(branch ?? repository.defaultBranch)")
  }

  /// The texts of all files of the default branch, by path.
  public func texts(of name: String) throws -> [String: String] {
    let repository = try repository(name)
    guard let tip = try tip(of: name) else { return [:] }
    let files = try repository.flat(repository.commit(tip).tree).filter { $0.entry.type == "blob" }
    return try Dictionary(
      uniqueKeysWithValues: files.map {
        ($0.path, String(decoding: try repository.bytes($0.entry.id, "blob"), as: UTF8.self))
      })
  }

  /// True if a program waits for the user to enter its code.
  public var isAsked: Bool { access.isAsked }

  /// The number of calls per route since the start, or since the order `recount`.
  public func calls() -> [String: Int] { counts }
}
