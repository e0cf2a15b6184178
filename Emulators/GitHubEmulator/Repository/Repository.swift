import Crypto
import EmulatorWire
import Foundation
internal import Programs

/// A bare git repository in a folder, which a person with git can clone and push to at the same time.
///
/// Objects and references are written as git does; the rest is the job of `git`.
final class Repository {
  /// The full name, such as `owner/notes`.
  var name: String
  let folder: String
  var defaultBranch = "main"
  /// The names of protected branches.
  var protected: Set<String> = ["protected"]
  /// The paths that a rule of the branch protects, in Forgejo.
  var protectedFiles: Set<String> = []
  /// The tip of a reference before its last change, for reads that lag behind.
  var former: [String: String] = [:]
  private var objects: [String: Object] = [:]

  struct Object {
    var kind: String
    var bytes: [UInt8]
  }

  /// Creates an empty repository in a new folder.
  init(_ name: String, in folder: String) throws {
    self.name = name
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    _ = try git(["init", "--quiet", "--bare", "--template=", "--initial-branch=main"])
    // Nothing may be packed while objects are written one by one.
    for (key, value) in [("gc.auto", "0"), ("receive.autogc", "false"), ("http.receivepack", "true")] {
      _ = try git(["config", key, value])
    }
  }

  func git(_ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
    let variables = Program.unattended(ProcessInfo.processInfo.environment)
      .merging(["GIT_DIR": folder, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"]) { $1 }
    let output = try Program.run(
      ["git"] + arguments, variables: variables, input: input, limit: .max, patience: .seconds(60), Stop())
    guard output.status == 0 else { throw EmulatorError("git \(arguments[0]): \(output.errorText)") }
    return output.bytes
  }

  // MARK: Objects

  static func id(_ kind: String, _ bytes: [UInt8]) -> String {
    Insecure.SHA1.hash(data: Array("\(kind) \(bytes.count)\0".utf8) + bytes)
      .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Stores an object; returns its id.
  func put(_ kind: String, _ bytes: [UInt8]) throws -> String {
    let id = Self.id(kind, bytes)
    guard objects[id] == nil else { return id }
    let folder = "\(self.folder)/objects/\(id.prefix(2))"
    let path = "\(folder)/\(id.dropFirst(2))"
    if !FileManager.default.fileExists(atPath: path) {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let file = LooseObject.file(Array("\(kind) \(bytes.count)\0".utf8) + bytes)
      try Data(file).write(to: URL(filePath: path), options: .atomic)
    }
    objects[id] = Object(kind: kind, bytes: bytes)
    return id
  }

  /// Returns the object with this id, or nil if the repository lacks it.
  func object(_ id: String) throws -> Object? {
    if let object = objects[id] { return object }
    guard id.count == 40, id.allSatisfy(\.isHexDigit) else { return nil }
    // Another program has written it, if it exists.
    let output = try git(["cat-file", "--batch"], input: Array("\(id)\n".utf8))
    guard let end = output.firstIndex(of: 0x0A) else { return nil }
    let words = String(decoding: output[..<end], as: UTF8.self).split(separator: " ")
    guard words.count == 3, let size = Int(words[2]) else { return nil }
    let object = Object(kind: String(words[1]), bytes: Array(output[(end + 1)..<(end + 1 + size)]))
    objects[id] = object
    return object
  }

  /// The bytes of an object of this kind.
  func bytes(_ id: String, _ kind: String) throws -> [UInt8] {
    guard let object = try object(id), object.kind == kind else { throw APIError(404, "Not Found") }
    return object.bytes
  }

  // MARK: References

  /// The target of a reference such as `refs/heads/main`; nil if it does not exist.
  func tip(_ reference: String) -> String? {
    guard reference.hasPrefix("refs/"), !reference.contains("..") else { return nil }
    if let bytes = FileManager.default.contents(atPath: "\(folder)/\(reference)") {
      return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
    let packed = FileManager.default.contents(atPath: "\(folder)/packed-refs") ?? Data()
    return String(decoding: packed, as: UTF8.self).split(separator: "\n")
      .first { $0.hasSuffix(" \(reference)") }.map { String($0.prefix(40)) }
  }

  /// True if the repository has no branch.
  func isEmpty() throws -> Bool {
    try tip("refs/heads/\(defaultBranch)") == nil && git(["for-each-ref", "--count=1"]).isEmpty
  }

  /// Points a reference to another commit, if it still points to `old`, which is nil for a new one; returns false otherwise.
  func move(_ reference: String, from old: String?, to new: String) -> Bool {
    let zero = String(repeating: "0", count: 40)
    guard (try? git(["update-ref", reference, new, old ?? zero])) != nil else { return false }
    former[reference] = old
    return true
  }

  func remove(_ reference: String) throws { _ = try git(["update-ref", "-d", reference]) }
}
