#if os(macOS)
  import CoreServices
  import Foundation
  internal import SyncKit

  /// Reports when something in a tree may have changed, with FSEvents: the counterpart of TreeWatch+Linux. Written from the
  /// documentation in FSEvents.h, and not run yet.
  final class TreeWatch: Sendable {
    /// The real path of the root with a trailing separator, as in events.
    private let root: [UInt8]
    private let filter = PathFilter(ignore: DefaultIgnores.lines)
    private let news: AsyncStream<Void>.Continuation

    /// One stream can watch any tree.
    static var limit: Int? { nil }

    private static let separator = UInt8(ascii: "/")
    /// The interval in seconds in which changes are reported together; the first one is reported at once.
    private static let latency = 0.05

    /// Returns a stream of changes of the tree below `path`. It ends when the tree cannot be watched, or not completely.
    ///
    /// - Parameter tellUnwatched: receives the number of folders that cannot be watched: none, because one stream can watch any
    ///   tree.
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

    /// Returns a started stream that reports events to this watch; it retains the watch until it is released.
    private func stream(on queue: DispatchQueue) -> FSEventStreamRef? {
      let owner = unsafe Unmanaged.passRetained(self)
      var context = unsafe FSEventStreamContext(
        version: 0, info: owner.toOpaque(), retain: nil,
        release: { info in if let info = unsafe info { unsafe Unmanaged<TreeWatch>.fromOpaque(info).release() } },
        copyDescription: nil)
      let callback: FSEventStreamCallback = { _, info, count, paths, flags, _ in
        guard let info = unsafe info else { return }
        let watch = unsafe Unmanaged<TreeWatch>.fromOpaque(info).takeUnretainedValue()
        // Without kFSEventStreamCreateFlagUseCFTypes, the paths are an array of C strings.
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
        // A stream that was not started must not be stopped.
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
