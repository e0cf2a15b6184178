import Foundation
import OrgKit
import ProgramTesting
import Testing

/// Compares agendas of random entries on many days, and matches, with real Emacs.
@Suite("The agenda agrees with Emacs", .enabled(if: program("emacs") != nil, "*** SKIPPED: Emacs is not installed ***"))
struct AgendaAgainstEmacsTests {
  private static let today = OrgDay(year: 2026, month: 1, day: 15)
  private static let span = -3...45
  private static let matches = ["a", "a+b", "a-b|c", "-a/!", "b/TODO|DONE", "file", "c&-file", "/-TODO"]

  @Test func `the agenda of each day has the same entries for the same reasons, and a match selects the same entries`()
    throws
  {
    let file = Self.file(seed: 7, entries: 400)
    let document = OrgDocument(file)
    let report = try Self.report(of: file)
    var ours: [String] = []
    for entry in document.entries where !entry.isSetAside {
      let dates = OrgDates(entry)
      for offset in Self.span {
        let day = Self.today.advanced(by: offset)
        ours += dates.occasions(on: day, today: Self.today).map { Self.line(entry, $0, day) }
      }
    }
    for (number, text) in Self.matches.enumerated() {
      let match = try #require(OrgMatch(text))
      ours += document.entries.filter { match.selects($0) && !$0.isSetAside }.map { "match \(number)|\($0.title)" }
    }
    #expect(ours.count > 1_000)
    let (onlyOurs, onlyEmacs) = (Set(ours).subtracting(report), Set(report).subtracting(ours))
    #expect(
      onlyOurs.isEmpty && onlyEmacs.isEmpty, "only here: \(onlyOurs.sorted()), only in Emacs: \(onlyEmacs.sorted())")
    #expect(ours.sorted() == report.sorted())
  }

  private static func line(_ entry: OrgEntry, _ occasion: OrgOccasion, _ day: OrgDay) -> String {
    let leader =
      switch occasion.kind {
      case .deadline(0): "Deadline:"
      case .deadline(let days): days > 0 ? "In \(days) d.:" : "\(-days) d. ago:"
      case .scheduled(let days): days > 0 && day == today ? "Sched. \(days)x:" : "Scheduled:"
      case .timestamp: ""
      case .range(let day, let count): "(\(day)/\(count)):"
      }
    let time = occasion.time.map { String($0.hour * 100 + $0.minute) } ?? ""
    return "\(day.number)|\(entry.title)|\(leader)|\(time)"
  }

  /// Entries with dates of all kinds around today.
  private static func file(seed: UInt64, entries: Int) -> String {
    var random = SeededGenerator(seed: seed)
    func any(_ choices: [String]) -> String { choices.randomElement(using: &random) ?? "" }
    func stamp(_ extra: [String]) -> String {
      let (year, month, day) = today.advanced(by: Int.random(in: -70...60, using: &random)).date
      let date = OrgTimestamp(year: year, month: month, day: day).description.dropLast()
      let more = [
        any(["", "", "9:30", "10:00-11:30"]), any(["", "", "+1w", "++2d", ".+1m", "+1y", "+3d", "+36h", "+5h"]),
      ]
      return (["\(date)"] + more + [any(extra)]).filter { !$0.isEmpty }.joined(separator: " ") + ">"
    }
    var text = "#+TODO: TODO NEXT | DONE\n#+FILETAGS: :file:\n"
    for number in 0..<entries {
      let stars = any(["*", "*", "**", "***"])
      text +=
        "\(stars) \(any(["", "TODO ", "TODO ", "NEXT ", "DONE "]))E\(number)\(any(["", "", " :a:", " :b:", " :a:c:", " :ARCHIVE:"]))\n"
      let delays = ["", "", "-3d", "-1w", "--2d", "-0d", "-1m"]
      switch Int.random(in: 0..<6, using: &random) {
      case 0: text += "DEADLINE: \(stamp(delays))\n"
      case 1: text += "SCHEDULED: \(stamp(delays))\n"
      case 2: text += "DEADLINE: \(stamp(delays)) SCHEDULED: \(stamp(delays))\n"
      case 3: text += "some \(stamp([""])) and \(stamp([""]))\n"
      case 4:
        let first = today.advanced(by: Int.random(in: -9...20, using: &random))
        let last = first.advanced(by: Int.random(in: 1...6, using: &random))
        let stamps = [first, last].map { OrgTimestamp(year: $0.date.year, month: $0.date.month, day: $0.date.day) }
        text += "\(stamps[0])--\(stamps[1])\n# \(stamp([""]))\n"
      default: break
      }
    }
    return text
  }

  private static func report(of file: String) throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "agenda-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try file.write(to: folder.appending(path: "file.org"), atomically: true, encoding: .utf8)
    try script.write(to: folder.appending(path: "report.el"), atomically: true, encoding: .utf8)
    let matches = matches.map { "\"\($0)\"" }.joined(separator: " ")
    let (first, last) = (today.number + span.lowerBound, today.number + span.upperBound)
    var command = Command([
      "emacs", "-Q", "--batch", "-l", "report.el", "--eval", "(report \(today.number) \(first) \(last) '(\(matches)))",
    ])
    command.folder = folder.path()
    return try command.succeed().text.split(separator: "\n").map(String.init).filter { $0.contains("|") }
  }

  private static let script = #"""
    (require 'org) (require 'org-agenda)
    (setq vc-handled-backends nil enable-local-variables nil org-agenda-files '("file.org"))
    (defconst epoch 719163)
    (defun say (&rest parts) (princ (mapconcat (lambda (p) (format "%s" p)) parts "|")) (terpri))
    (defun squeeze (s) (replace-regexp-in-string " +" " " (string-trim (or s ""))))
    (defun report (today first last matches)
      (advice-add 'org-today :override (lambda () (+ today epoch)))
      (org-agenda-prepare-buffers '("file.org"))
      (org-compile-prefix-format 'agenda)
      (let ((day first))
        (while (<= day last)
          (dolist (item (org-agenda-get-day-entries
                         "file.org" (calendar-gregorian-from-absolute (+ day epoch)) :deadline :scheduled :timestamp))
            (say day
                 (org-with-point-at (get-text-property 0 'org-hd-marker item) (nth 4 (org-heading-components)))
                 (let ((extra (squeeze (get-text-property 0 'extra item))))
                   (replace-regexp-in-string "Sched\\.\\([0-9]\\)" "Sched. \\1" extra))
                 (or (get-text-property 0 'time-of-day item) "")))
          (setq day (1+ day))))
      (with-current-buffer (find-buffer-visiting "file.org")
        (let ((number 0))
          (dolist (match matches)
            (dolist (item (let* ((org-todo-keywords-for-agenda org-todo-keywords-1)
                                (org--matcher-tags-todo-only nil)
                                (matcher (org-make-tags-matcher match)))
                            (org-scan-tags 'agenda (cdr matcher) org--matcher-tags-todo-only)))
              (say (format "match %d" number)
                   (org-with-point-at (get-text-property 0 'org-hd-marker item) (nth 4 (org-heading-components)))))
            (setq number (1+ number))))))
    """#
}
