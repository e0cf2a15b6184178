import ArgumentParser
import SyncDaemon

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A command whose list is shown in the user's pager if standard output is a terminal.
protocol Paged: ParsableCommand {}

extension AgendaCommand: Paged {}
extension AlertsListCommand: Paged {}
extension BackendsCommand: Paged {}
extension BlameCommand: Paged {}
extension ConflictsCommand: Paged {}
extension DeletedCommand: Paged {}
extension DiffCommand: Paged {}
extension HabitsCommand: Paged {}
extension LogCommand: Paged {}
extension NearCommand: Paged {}
extension PlanCommand: Paged {}
extension RemoteListCommand: Paged {}
extension SearchCommand: Paged {}
extension ShowCommand: Paged {}
extension StoreListCommand: Paged {}
extension StuckCommand: Paged {}
extension TagsCommand: Paged {}
extension WhyCommand: Paged {}

/// The user's pager, by git's rules (git-var(1), `GIT_PAGER`): `SYNCD_PAGER`, else `PAGER`, else `less`, run by the shell; an empty text
/// or `cat` is none. Unless the user has set them, `LESS` is FRX and `LV` is -c: less ends by itself if everything fits on the
/// screen, and shows colours.
@safe final class Pager {
  private let stream: UnsafeMutablePointer<FILE>

  /// Returns the pager's command; nil for none.
  static func command(_ variable: (String) -> String?) -> String? {
    let command = variable("SYNCD_PAGER") ?? variable("PAGER") ?? "less"
    return ["", "cat"].contains(command) ? nil : command
  }

  /// Sends standard output to the pager. Nil if there is none, or if it is not installed.
  init?() {
    guard Console.outputIsTerminal, let command = Self.command(Self.variable), Self.isThere(command) else { return nil }
    for (name, value) in [("LESS", "FRX"), ("LV", "-c")] { unsafe setenv(name, value, 0) }
    guard let stream = unsafe popen(command, "w") else { return nil }
    unsafe self.stream = unsafe stream
    Console.isPaged = true
    unsafe dup2(fileno(stream), STDOUT_FILENO)
  }

  /// Waits until the user has closed the pager. An interrupt in the meantime is for the pager.
  func finish() {
    for number in [SIGINT, SIGQUIT] { signal(number, SIG_IGN) }
    close(STDOUT_FILENO)
    unsafe pclose(stream)
  }

  private static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

  /// True if the first word of the command is a program; the shell explains other mistakes.
  private static func isThere(_ command: String) -> Bool {
    let name = command.prefix { $0 != " " }
    guard !name.contains("/"), !name.contains("="), !name.contains("$") else { return true }
    return (variable("PATH") ?? "").split(separator: ":").contains { LocalFile.isExecutable("\($0)/\(name)") }
  }
}
