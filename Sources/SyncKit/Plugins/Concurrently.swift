/// Does `work` for each item, at most `limit` at a time, and returns the values in the order of the items. The first error
/// cancels the remaining work.
public func mapConcurrently<Item: Sendable, Value: Sendable>(
  _ items: [Item], atMost limit: Int, _ work: @escaping @Sendable (Item) async throws(SyncError) -> Value
) async throws(SyncError) -> [Value] {
  let outcome = await withTaskGroup(of: (Int, Result<Value, SyncError>).self) { group in
    var values: [Value?] = Array(repeating: nil, count: items.count)
    var failure: SyncError?
    var next = 0
    func start() {
      guard next < items.count, failure == nil else { return }
      let index = next
      next += 1
      group.addTask {
        do throws(SyncError) { return (index, .success(try await work(items[index]))) } catch {
          return (index, .failure(error))
        }
      }
    }
    for _ in 0..<min(max(1, limit), items.count) { start() }
    for await (index, result) in group {
      switch result {
      case .success(let value): values[index] = value
      case .failure(let error):
        failure = failure ?? error
        group.cancelAll()
      }
      start()
    }
    return failure.map(Result.failure) ?? .success(values.compactMap(\.self))
  }
  return try outcome.get()
}
