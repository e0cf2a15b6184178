import SyncKitTesting
import Testing

@testable import SyncKit

@Suite("A storage that may send no more than listed")
struct BoundedStorageTests {
  private let path = SyncPath("a.org")!
  private let memory = MemoryStorage()

  private func content(_ size: Int) -> Content { Content(Array(repeating: 0x61, count: size)) }

  private func isRead(_ paths: [SyncPath], from storage: BoundedStorage) async -> Bool {
    do {
      let results = try await storage.read(paths, into: MemorySink(limit: .max))
      return results.allSatisfy { if case .read = $0 { true } else { false } }
    } catch { return false }
  }

  @Test("a file far larger than listed is refused until it is listed again")
  func growth() async throws {
    let storage = BoundedStorage(storage: memory)
    await memory.put(content(2), at: path)
    _ = try await storage.list(since: Known())
    await memory.put(content(2 + BoundedStorage.slack), at: path)
    #expect(await isRead([path], from: storage))
    await memory.put(content(3 + BoundedStorage.slack), at: path)
    #expect(await !isRead([path], from: storage))
    _ = try await storage.list(since: Known())
    #expect(await isRead([path], from: storage))
  }

  @Test("the limit of a batch follows from its largest file, and is larger if a size is unknown")
  func limits() {
    #expect(BoundedStorage.limit([1, 5, 3]) == 5 + BoundedStorage.slack)
    #expect(BoundedStorage.limit([.max, 1]) == .max)
    #expect(BoundedStorage.limit([1, 0]) == BoundedStorage.unlisted)
    #expect(BoundedStorage.limit([-1]) == BoundedStorage.unlisted)
  }
}
