internal import SyncKit

/// Visits places of which each leads to more, at most `limit` at a time. The first error cancels what is left.
///
/// - Parameters:
///   - visit: looks at one place.
///   - take: takes in what was seen there, one place after the other, and gives those that it leads to.
func explore<Place: Sendable, News: Sendable>(
  from places: [Place], atMost limit: Int, _ visit: @escaping @Sendable (Place) async throws(SyncError) -> News,
  take: (Place, News) -> [Place]
) async throws(SyncError) {
  let failure = await withTaskGroup(of: (Place, Result<News, SyncError>).self) { group in
    var waiting = places
    var failure: SyncError?
    var running = 0
    func start() {
      while failure == nil, running < max(1, limit), let place = waiting.popLast() {
        running += 1
        group.addTask {
          do throws(SyncError) { return (place, .success(try await visit(place))) } catch {
            return (place, .failure(error))
          }
        }
      }
    }
    start()
    for await (place, result) in group {
      running -= 1
      switch result {
      case .success(let news): waiting += take(place, news)
      case .failure(let error):
        failure = failure ?? error
        group.cancelAll()
      }
      start()
    }
    return failure
  }
  if let failure { throw failure }
}
