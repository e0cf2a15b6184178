internal import SyncKit

/// Visits folders recursively, at most `limit` at a time. The first error, of `visit` or `collect`, cancels the rest.
///
/// - Parameters:
///   - visit: reads one folder.
///   - collect: processes the content of one folder at a time, and returns the folders to visit next.
func explore<Folder: Sendable, Content: Sendable>(
  from folders: [Folder], atMost limit: Int, _ visit: @escaping @Sendable (Folder) async throws(SyncError) -> Content,
  collect: (Folder, Content) throws(SyncError) -> [Folder]
) async throws(SyncError) {
  let failure = await withTaskGroup(of: (Folder, Result<Content, SyncError>).self) { group in
    var waiting = folders
    var failure: SyncError?
    var running = 0
    func start() {
      while failure == nil, running < max(1, limit), let folder = waiting.popLast() {
        running += 1
        group.addTask {
          do throws(SyncError) { return (folder, .success(try await visit(folder))) } catch {
            return (folder, .failure(error))
          }
        }
      }
    }
    start()
    for await (folder, result) in group {
      running -= 1
      do throws(SyncError) { waiting += try collect(folder, try result.get()) } catch {
        failure = failure ?? error
        group.cancelAll()
      }
      start()
    }
    return failure
  }
  if let failure { throw failure }
}
