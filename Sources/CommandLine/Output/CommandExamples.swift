/// An example of a command for its manual page.
struct CommandExample: Equatable {
  var line: String
  /// The purpose, as a sentence without a full stop; empty if the line says it.
  var purpose = ""
}

extension CommandExample {
  /// Reads a line of a command and, after at least two blanks, its purpose.
  private init(commented text: String) {
    let parts = text.split(separator: "  ", maxSplits: 1).map(String.init)
    line = parts.first ?? text
    if parts.count > 1 { purpose = String(parts[1].drop { $0 == " " }) }
  }

  /// Returns the examples in a command's discussion: the line after `Example:`, or the lines below `EXAMPLES`; and the discussion
  /// without them.
  static func split(_ discussion: String) -> (text: String, examples: [CommandExample]) {
    if let start = discussion.firstRange(of: "EXAMPLES\n") {
      let lines = discussion[start.upperBound...].split(separator: "\n").map { String($0.drop { $0 == " " }) }
      let examples = lines.prefix { $0.hasPrefix("syncd") }
      let rest = lines.dropFirst(examples.count)
      return (
        ([String(discussion[..<start.lowerBound])] + rest).joined(separator: "\n"),
        examples.map(CommandExample.init(commented:))
      )
    }
    guard let start = discussion.firstRange(of: "Example: ") else { return (discussion, []) }
    return (
      String(discussion[..<start.lowerBound]), [CommandExample(line: String(discussion[start.upperBound...]))]
    )
  }

  /// The examples of commands whose discussion has none, by the words of the command.
  static let standard: [String: [CommandExample]] = [
    "syncd": [
      .init(line: "syncd init", purpose: "Set up a folder and a remote, with questions"),
      .init(line: "syncd --once --dry-run", purpose: "Show what a sync would change"),
      .init(line: "syncd --once", purpose: "Sync once, such as in a git hook or from cron"),
      .init(line: "syncd", purpose: "Sync until the service is stopped"),
    ],
    "sync": [
      .init(line: "syncd sync", purpose: "Sync all remotes now"),
      .init(line: "syncd sync usb", purpose: "Sync one remote, also while it is paused"),
    ],
    "plan": [.init(line: "syncd plan --out plan.json", purpose: "Review what a sync would change, and keep the plan")],
    "apply": [.init(line: "syncd apply plan.json", purpose: "Make exactly these changes")],
    "pause": [.init(line: "syncd pause usb --for 2h", purpose: "Do not sync the remote usb for two hours")],
    "resume": [.init(line: "syncd resume", purpose: "End all pauses")],
    "status": [
      .init(line: "syncd status", purpose: "Show what needs your attention"),
      .init(line: "syncd status --watch", purpose: "Follow the passes of the service"),
    ],
    "allow": [
      .init(line: "syncd allow 8kq2m4x7ab", purpose: "Approve the deletions that syncd status lists under this ID")
    ],
    "deny": [.init(line: "syncd deny 8kq2m4x7ab", purpose: "Put the files back")],
    "log": [
      .init(line: "syncd log --since yesterday", purpose: "Show the passes since yesterday"),
      .init(line: "syncd log notes.org -p", purpose: "Show the versions of a file with their changes"),
      .init(line: "syncd log 'notes.org::*Garden'", purpose: "Show the history of one heading"),
    ],
    "blame": [.init(line: "syncd blame notes.org", purpose: "Show which device changed each entry last")],
    "show": [.init(line: "syncd show notes.org --at yesterday", purpose: "Print the file as it was yesterday")],
    "diff": [
      .init(line: "syncd diff notes.org", purpose: "Compare the version that was last replaced with the present one"),
      .init(line: "syncd diff notes.org 41 43", purpose: "Compare the versions of two passes"),
    ],
    "deleted": [
      .init(line: "syncd deleted --since 2h", purpose: "List the files that were deleted in the last two hours")
    ],
    "restore": [
      .init(line: "syncd restore notes.org", purpose: "Restore the version that was last replaced"),
      .init(line: "syncd restore projects --at \"2026-11-20 08:00\"", purpose: "Restore a folder as it was at a time"),
    ],
    "undo": [.init(line: "syncd undo 42", purpose: "Undo everything that pass 42 did")],
    "why": [.init(line: "syncd why notes.org", purpose: "Explain the last decision about a file")],
    "history": [
      .init(line: "syncd history prune --dry-run", purpose: "Show what the settings no longer keep"),
      .init(line: "syncd history purge secrets.org", purpose: "Remove a leaked file from the history"),
    ],
    "conflicts": [
      .init(line: "syncd conflicts -p", purpose: "List the open conflicts with the changes of each side"),
      .init(line: "syncd conflicts --foreign", purpose: "List the conflict copies of other programs"),
    ],
    "resolve": [
      .init(line: "syncd resolve notes.org", purpose: "Be asked at each place in dispute"),
      .init(line: "syncd resolve --all --ours", purpose: "Take the version of the store in all conflicts"),
      .init(line: "syncd resolve notes.org --tool meld", purpose: "Resolve in a merge tool"),
    ],
    "adopt": [.init(line: "syncd adopt --all", purpose: "Merge all conflict copies of other programs")],
    "merge-file": [
      .init(line: "syncd merge-file base.org ours.org theirs.org --stdout", purpose: "Print the merge of two versions")
    ],
    "merge-tree": [
      .init(line: "syncd merge-tree base ours theirs merged", purpose: "Merge two folders into a new one")
    ],
    "init": [
      .init(line: "syncd init", purpose: "Answer questions in a terminal"),
      .init(line: "syncd init --store ~/org --folder /media/stick/org --remote stick", purpose: "Sync with a disk"),
    ],
    "invite": [.init(line: "syncd invite --qr", purpose: "Show an invitation as a QR code")],
    "join": [.init(line: "syncd join syncd:join?v=1", purpose: "Use an invitation, which is longer than this one")],
    "remote": [
      .init(line: "syncd remote list", purpose: "List the remotes"),
      .init(line: "syncd remote add work", purpose: "Answer questions about a new remote"),
      .init(line: "syncd remote rename usb stick", purpose: "Rename a remote"),
    ],
    "doctor": [.init(line: "syncd doctor usb", purpose: "Check this machine and one remote")],
    "settings": [
      .init(line: "syncd settings check", purpose: "Check the settings file"),
      .init(line: "syncd settings template", purpose: "Print all settings with their defaults"),
    ],
    "backends": [.init(line: "syncd backends webdav", purpose: "Show the settings of one module")],
    "login": [.init(line: "syncd login dropbox", purpose: "Sign in to the only remote on Dropbox")],
    "rekey": [.init(line: "syncd rekey cloud --from old.toml", purpose: "Re-encrypt with the key of the settings")],
    "trust": [.init(line: "syncd trust cloud 3f2a-91bc-77d0-1e45", purpose: "Accept the key with this fingerprint")],
    "service": [.init(line: "syncd service install", purpose: "Install the service for your session")],
    "hook": [.init(line: "syncd hook install ~/org", purpose: "Sync after each commit in a repository")],
    "stuck": [.init(line: "syncd stuck", purpose: "List the projects without a next action")],
    "habits": [.init(line: "syncd habits", purpose: "List the habits with their graphs")],
    "tags": [.init(line: "syncd tags", purpose: "List the tags and how many entries have them")],
    "item": [
      .init(line: "syncd item apply --calls calls.json --in notes", purpose: "Carry out recorded calls in a folder")
    ],
    "capture": [.init(line: "syncd capture Buy milk", purpose: "Add an entry to the inbox")],
  ]
}
