#if os(macOS)
  import CoreServices
  import Foundation
  internal import SyncKit

  /// Says when something in a tree may have changed, by FSEvents: the same as TreeWatch+Linux, for another system. Written
  /// from what FSEvents.h says of each call, and has not been run yet.
  final class TreeWatch: Sendable {
    /// The real path of the root, with a separator at its end, as events have it.
    private let root: [UInt8]
    private let filter = PathFilter(ignore: DefaultIgnores.lines)
    private let news: AsyncStream<Void>.Continuation

    /// One stream has room for any tree.
    static var limit: Int? { nil }

    private static let separator = UInt8(ascii: "/")
    /// Changes within this many seconds are reported together; the first of them at once.
    private static let latency = 0.05

    /// News of the tree below `path`. The stream ends when the tree cannot be watched, or no longer as it should be.
    ///
    /// - Parameter tellUnwatched: receives the number of folders that cannot be watched: none, because one stream has room for any tree.
    static func changes(
      below path: String, _ tellUnwatched: @escaping @Sendable (Int) -> Void
    ) -> AsyncStream<Void> {
      tellUnwatched(0)
      return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { news in
        guard let watch = TreeWatch(below: path, news) else { return news.finish() }
        let queue = DispatchQueue(label: "watch")
        guard let stream = unsafe watch.stream(on: queue) else { return news.finish() }
        nonisolated(unsafe) let started = unsafe stream
        news.onTermination = { @Sendable _ in
          // On the queue of the callback, which therefore does not run at the same time.
          queue.async { @Sendable in unsafe Self.end(started) }
        }
      }
    }

    private init?(below path: String, _ news: AsyncStream<Void>.Continuation) {
      guard let real = unsafe realpath(path, nil) else { return nil }
      defer { unsafe free(real) }
      let bytes = unsafe Array(String(cString: real).utf8)
      root = bytes.last == Self.separator ? bytes : bytes + [Self.separator]
      self.news = news
    }

    /// A stream that is started and tells this watch of events; it keeps the watch until it is released.
    private func stream(on queue: DispatchQueue) -> FSEventStreamRef? {
      let owner = unsafe Unmanaged.passRetained(self)
      var context = unsafe FSEventStreamContext(
        version: 0, info: owner.toOpaque(), retain: nil,
        release: { info in if let info = unsafe info { unsafe Unmanaged<TreeWatch>.fromOpaque(info).release() } },
        copyDescription: nil)
      let callback: FSEventStreamCallback = { _, info, count, paths, flags, _ in
        guard let info = unsafe info else { return }
        let watch = unsafe Unmanaged<TreeWatch>.fromOpaque(info).takeUnretainedValue()
        // Without kFSEventStreamCreateFlagUseCFTypes they are an array of C strings.
        let names = unsafe paths.assumingMemoryBound(to: UnsafePointer<CChar>.self)
        for index in 0..<count { unsafe watch.take(Array(String(cString: names[index]).utf8), Int(flags[index])) }
      }
      let flags =
        kFSEventStreamCreateFlagFileEvents | kFSEventStreamCreateFlagNoDefer | kFSEventStreamCreateFlagWatchRoot
      let stream = unsafe FSEventStreamCreate(
        nil, callback, &context, [String(decoding: root, as: UTF8.self)] as CFArray,
        FSEventStreamEventId(kFSEventStreamEventIdSinceNow), Self.latency, FSEventStreamCreateFlags(flags))
      guard let stream = unsafe stream else {
        unsafe owner.release()
        return nil
      }
      unsafe FSEventStreamSetDispatchQueue(stream, queue)
      guard unsafe FSEventStreamStart(stream) else {
        // What was not started must not be stopped.
        unsafe FSEventStreamInvalidate(stream)
        unsafe FSEventStreamRelease(stream)
        return nil
      }
      return unsafe stream
    }

    private static func end(_ stream: FSEventStreamRef) {
      unsafe FSEventStreamStop(stream)
      unsafe FSEventStreamInvalidate(stream)
      unsafe FSEventStreamRelease(stream)
    }

    private func take(_ path: [UInt8], _ flags: Int) {
      if flags & kFSEventStreamEventFlagRootChanged != 0 {
        news.yield()
        news.finish()
      } else if flags & kFSEventStreamEventFlagMustScanSubDirs != 0
        || isNews(path, isFolder: flags & kFSEventStreamEventFlagItemIsDir != 0)
      {
        news.yield()
      }
    }

    private func isNews(_ path: [UInt8], isFolder: Bool) -> Bool {
      // The root itself is not reported; an unknown path may be a change.
      guard path != root.dropLast() else { return false }
      guard path.starts(with: root), let path = SyncPath(bytes: Array(path.dropFirst(root.count))) else { return true }
      guard path.ancestors.allSatisfy({ filter.accepts(folder: $0.bytes) }) else { return false }
      return isFolder ? filter.accepts(folder: path.bytes) : filter.accepts(file: path.bytes)
    }
  }
#endif
