/// The request of `POST /emulator/control`: one operation.
struct Order: Decodable {
  enum Operation: String, Decodable {
    /// Resets all state, the repositories included.
    case reset
    /// Plans a fault.
    case fail
    /// Removes all planned faults.
    case calm
    /// Limits the entries of recursive listings, which then say that they are truncated.
    case truncate
    /// Commits as another person; with `force` and `parent` it rewrites the branch.
    case push
    /// Makes the next reads of references return the tip before the last change.
    case lag
    /// Sets what the user did with the code of the device flow.
    case device
    /// Revokes all tokens.
    case revoke
    /// Creates another repository, empty if it gets no `files`.
    case repository
    /// Renames the default branch.
    case renameBranch = "rename_branch"
    /// Renames a repository; its old address redirects to the new one.
    case rename
    /// Resets the number of calls per route.
    case recount
  }

  var op: Operation
  var entries: Int?
  var repository: String?
  var branch: String?
  var files: [String: String?]?
  var force: Bool?
  var parent: String?
  var count: Int?
  var state: DeviceSignIn.State?
  var name: String?
}
