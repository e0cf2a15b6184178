import SyncKit
import SyncKitTesting

extension Sabotage {
  static let contents = [
    Sabotage("a content is written in two steps") {
      $0.onWrite = { memory, content, path, condition in
        guard try await memory.currentCondition(at: path) == condition else {
          return try await memory.write(content, to: path, if: condition)
        }
        await memory.put(Content(Array(try await content.bytes().prefix(content.size / 2))), at: path)
        for _ in 0..<20 { await Task.yield() }
        return try await memory.write(content, to: path, if: try await memory.currentCondition(at: path))
      }
    },
    Sabotage("a file is emptied before it is written") {
      $0.onWrite = { memory, content, path, condition in
        guard try await memory.currentCondition(at: path) == condition else {
          return try await memory.write(content, to: path, if: condition)
        }
        await memory.take(path)
        let bytes = try await content.bytes()
        return try await memory.write(Content(bytes), to: path, if: .absent)
      }
    },
    Sabotage("the beginning of an incomplete content is stored") {
      $0.onWrite = { memory, content, path, condition in
        try await memory.write(try await content.beginning(), to: path, if: condition)
      }
    },
    Sabotage("an empty file is not stored") {
      $0.onWrite = { memory, content, path, condition in
        let result = try await memory.write(content, to: path, if: condition)
        if content.size == 0 { await memory.take(path) }
        return result
      }
    },
    Sabotage("line ends are converted") {
      $0.onWrite = { memory, content, path, condition in
        guard content.size < 1000, let bytes = try? await content.bytes() else {
          return try await memory.write(content, to: path, if: condition)
        }
        return try await memory.write(Content(bytes.map { $0 == 0x0D ? 0x0A : $0 }), to: path, if: condition)
      }
    },
    Sabotage("a long file is truncated") {
      $0.onRead = { memory, path, sink in
        let result = try await memory.read(file: path, into: sink)
        guard case .read(var entry) = result, let content = await memory.contents[path] else { return result }
        entry.digest = try await sink.receive(Array(try await content.bytes().prefix(1 << 20)))
        return .read(entry)
      }
    },
    Sabotage("a read returns a revision that nothing else returns") {
      $0.onRead = { memory, path, sink in
        let result = try await memory.read(file: path, into: sink)
        guard case .read(let entry) = result else { return result }
        return .read(entry.with(revision: "read"))
      }
    },
    Sabotage("a read returns a wrong digest") {
      $0.onRead = { memory, path, sink in
        let result = try await memory.read(file: path, into: sink)
        guard case .read(var entry) = result else { return result }
        entry.digest = .empty
        return .read(entry)
      }
    },
    Sabotage("a missing file is read as an empty one") {
      $0.onRead = { memory, path, sink in
        let result = try await memory.read(file: path, into: sink)
        guard case .absent = result else { return result }
        return .read(Entry(path: path, revision: Revision("0"), digest: try await sink.receive([])))
      }
    },
    Sabotage("a folder is read as an empty file") {
      $0.onRead = { memory, path, sink in
        guard await memory.contents.keys.contains(where: { $0.isInside(path) }) else {
          return try await memory.read(file: path, into: sink)
        }
        return .read(Entry(path: path, revision: Revision("0"), digest: try await sink.receive([])))
      }
    },
    Sabotage("the results of a batch of reads are in another order") {
      $0.onReadMany = { storage, paths, sink in Array(try await storage.readEach(paths, into: sink).reversed()) }
    },
  ]
}

extension Content {
  /// The part of the content that can be read before it ends early.
  fileprivate func beginning() async throws -> Content {
    var reader = try reader()
    var bytes: [UInt8] = []
    do { while let chunk = try await reader.next() { bytes += chunk } } catch { return Content(bytes) }
    return Content(bytes)
  }
}
