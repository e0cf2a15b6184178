internal import GitObjects
internal import HTTPStorage
internal import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One file in the request of Forgejo and Gitea that changes several.
struct FileOperation: Hashable, Sendable {
  enum Verb: String, Sendable {
    /// Refused if the path exists.
    case create
    /// Keeps the mode of the replaced file.
    case update
    case delete
  }

  var verb: Verb
  var path: SyncPath
  /// The former path of a file that is moved; nil if it stays.
  var former: SyncPath?
  /// The version that is replaced, moved or removed, without which the server refuses the whole request.
  var old: ObjectID?
  /// The new content; nil for a removal.
  var content: ObjectID?

  /// The operations of a batch. An executable file that gets another name is moved: a file that is created is never executable.
  static func plan(_ files: [BatchFile]) -> [FileOperation] {
    var programs: [ObjectID: [BatchFile]] = [:]
    for file in files where file.new == nil {
      if let old = file.old, old.mode == .program { programs[old.id, default: []].append(file) }
    }
    var moved: Set<Int> = []
    var operations: [FileOperation] = []
    for file in files {
      guard let new = file.new else { continue }
      var operation = FileOperation(
        verb: file.old == nil ? .create : .update, path: file.path, old: file.old?.id, content: new.id)
      if file.old == nil, new.mode == .program, let source = programs[new.id]?.popLast() {
        moved.insert(source.index)
        (operation.verb, operation.former, operation.old) = (.update, source.path, new.id)
      }
      operations.append(operation)
    }
    for file in files where file.new == nil && !moved.contains(file.index) {
      operations.append(FileOperation(verb: .delete, path: file.path, old: file.old?.id))
    }
    return operations
  }

  /// The operation as the request contains it.
  func json(_ bytes: [ObjectID: [UInt8]]) -> JSON {
    var json: JSON = ["operation": .string(verb.rawValue), "path": .string(Self.text(path))]
    if let former { json["from_path"] = .string(Self.text(former)) }
    if let old { json["sha"] = .string("\(old)") }
    if let content { json["content"] = .string(Data(bytes[content] ?? []).base64EncodedString()) }
    return json
  }

  private static func text(_ path: SyncPath) -> String { String(decoding: path.bytes, as: UTF8.self) }
}
