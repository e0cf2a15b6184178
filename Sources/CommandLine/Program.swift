import ArchiveSQLite
import ArgumentParser
internal import CPOSIX
import Hub
import SyncDaemon
public import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The program with its linked plugins: called by a daemon's `main`.
public enum Program {
  /// The plugins of this program; set once, at the start.
  @TaskLocal static var registry = Registry.empty

  /// Parses the command line, carries it out and exits with the status of the result.
  ///
  /// - Parameter plugins: the linked plugins; `linkedPlugins` of the build plugin.
  public static func main(_ plugins: [any Plugin.Type]) async -> Never {
    prepareProcess()
    do {
      let registry = try Registry(
        plugins,
        failpoints: PassFailpoint.all + StorageFailpoint.all + ArchiveFailpoint.all + ItemFailpoint.all
          + AlertFailpoint.all + HubFailpoint.all)
      if let plan = unsafe getenv("SYNCD_FAILPOINTS") {
        announce(unsafe String(cString: plan), of: registry.failpoints)
      }
      end(await $registry.withValue(registry) { await run(arguments) })
    } catch {
      Console.error("syncd: \(error)")
      end(1)
    }
  }

  /// Ends the process without running the exit handlers of libraries: OpenSSL's handler frees locks that a thread still needs
  /// while it closes a connection (`OPENSSL_cleanup(3)`).
  private static func end(_ status: Int32) -> Never {
    fflush(nil)
    _exit(status)
  }

  /// Prepares the process: removes git's variables of a hook, which would lead children into the wrong repository; makes a
  /// closed pipe an error of the write instead of ending the process; and ignores signals without a meaning here. One heap for
  /// all threads is a fifth smaller than one each.
  private static func prepareProcess() {
    posix_keep_memory_private()
    posix_keep_heap_small()
    Console.reserveStreams()
    for name in ProcessInfo.processInfo.environment.keys where name.hasPrefix("GIT_") { unsafe unsetenv(name) }
    for number in [SIGPIPE, SIGUSR1, SIGUSR2] { signal(number, SIG_IGN) }
  }

  /// The arguments. Bytes that are not UTF-8 are escaped, because names of files may have them.
  private static var arguments: [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
      return unsafe EscapedText.text(of: UnsafeRawBufferPointer(start: argument, count: strlen(argument)).map { $0 })
    }
  }

  /// Lists the failpoints if `plan` is `list`, and rejects an invalid plan.
  private static func announce(_ plan: String, of failpoints: [Failpoint]) {
    guard plan != "list" else {
      for failpoint in failpoints { Console.print("\(failpoint.name) \(failpoint.promise)") }
      end(0)
    }
    if let mistake = FailpointPlan.mistake(in: plan, among: failpoints) {
      Console.error(
        "syncd: invalid rule \"\(mistake)\" in SYNCD_FAILPOINTS; write NAME=ACTION[@COUNT], and list the names with `SYNCD_FAILPOINTS=list syncd`"
      )
      end(2)
    }
    Console.error("syncd: failpoints are active; for tests only")
  }

  /// Returns the command of the arguments. An unknown command is reported by its name.
  private static func parse(_ arguments: [String]) async throws -> any ParsableCommand {
    do { return try await RootCommand.asyncParseAsRoot(arguments) } catch {
      try CommandWord.check(arguments)
      throw error
    }
  }

  private static func run(_ arguments: [String]) async -> Int32 {
    var kind: (any ParsableCommand.Type)?
    var status: Int32 = 0
    var pager: Pager?
    defer { pager?.finish() }
    do {
      var command = try await parse(arguments == ["-V"] ? ["--version"] : arguments)
      kind = type(of: command)
      try MisplacedOptions.refuse(in: arguments, of: type(of: command))
      if kind != RootCommand.self, kind != SyncCommand.self, let limit = MisplacedOptions.timeLimit(in: arguments) {
        TimeBudget(limit: limit).enforce(saying: "time limit reached") { error in
          if arguments.contains("--json") { Failure.printDocument(of: error, status: PassResult.timedOut.exitStatus) }
        }
      }
      pager = command is any Paged && !arguments.contains("--json") ? Pager() : nil
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch { status = Failure.report(error, asDocument: arguments.contains("--json")) }
    return Failure.status(status, afterOutputOf: kind)
  }
}

extension Registry {
  /// A registry without plugins.
  fileprivate static let empty: Registry = {
    guard let registry = try? Registry([]) else { preconditionFailure("an empty registry is valid") }
    return registry
  }()
}
