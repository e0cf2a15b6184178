import SyncKit
import SyncKitTesting

extension Sabotage {
  static let naming = [
    Sabotage("names are stored in lower case") { $0.rename { $0.map { (65...90).contains($0) ? $0 + 32 : $0 } } },
    Sabotage("names are composed") { $0.rename { $0.replacing(Array("e\u{301}".utf8), with: Array("\u{E9}".utf8)) } },
    Sabotage("names are decoded once more") { $0.rename { $0.replacing(Array("%41".utf8), with: [65]) } },
    Sabotage("bytes that are not UTF-8 are replaced") { $0.rename { Array(String(decoding: $0, as: UTF8.self).utf8) } },
    Sabotage("names lose trailing spaces") { $0.rename { $0.last == 0x20 && $0.count > 1 ? $0.dropLast() : $0 } },
    Sabotage("a name in another letter case is refused as if it were the file") {
      $0.onWrite = { memory, content, path, condition in
        let rules = NamingRules(foldsCase: true)
        let twin = await memory.contents.keys.first { $0.collisionKey(under: rules) == path.collisionKey(under: rules) }
        if condition.isAbsent, twin != nil { return .refused(nil) }
        return try await memory.write(content, to: path, if: condition)
      }
    },
    Sabotage("names that violate the rules are stored", naming: NamingRules(requiresUTF8: true)) {
      $0.onWrite = { memory, content, path, condition in
        let result = try await memory.write(content, to: path, if: condition)
        guard case .cannot = result else { return result }
        await memory.put(content, at: path)
        return .done(Entry(path: path, revision: Revision("0")))
      }
    },
  ]

  static let programFiles = [
    Sabotage("the marker is listed") {
      $0.onList = { memory, known in
        let marker = SyncPath(ReservedName.marker)
        let entries = await memory.contents.keys.filter { $0 == marker }.map {
          Entry(path: $0, revision: Revision("1"))
        }
        return try await memory.list(since: known) { entries + $0 }
      }
    },
    Sabotage("the marker cannot be read") {
      $0.onRead = { memory, path, sink in
        if path == SyncPath(ReservedName.marker) { return .absent }
        return try await memory.read(file: path, into: sink)
      }
    },
    Sabotage("temporaries are listed") {
      $0.onList = { memory, known in
        let entries = await memory.contents.keys.filter { ReservedName.isTemporary($0.name) }
          .map { Entry(path: $0, revision: Revision("1")) }
        return try await memory.list(since: known) { entries + $0 }
      }
    },
  ]
}

extension BrokenStorage {
  /// Stores and finds every file under another name.
  fileprivate mutating func rename(_ change: @escaping @Sendable ([UInt8]) -> [UInt8]) {
    let renamed: @Sendable (SyncPath) -> SyncPath = { SyncPath(bytes: change($0.bytes)) ?? $0 }
    onWrite = { memory, content, path, condition in
      let result = try await memory.write(content, to: renamed(path), if: condition)
      guard case .done(var entry?) = result else { return result }
      entry.path = path
      return .done(entry)
    }
    onRead = { memory, path, sink in try await memory.read(file: renamed(path), into: sink) }
    onConfirm = { memory, path in
      guard case .present(var entry) = try await memory.confirm(file: renamed(path)) else { return .absent }
      entry.path = path
      return .present(entry)
    }
  }
}
