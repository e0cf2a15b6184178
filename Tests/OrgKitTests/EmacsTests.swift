import Foundation
import ProgramTesting
import Testing

@testable import OrgKit

/// Compares with real Emacs, on files of the generator, the worked cases and, if `SYNCD_CORPUS` names a folder, on real ones.
/// Inline tasks are enabled in Emacs, as they are here.
@Suite("Agreement with Emacs", .enabled(if: emacs != nil, "Emacs is not installed; nothing was compared"))
struct EmacsTests {
  @Test("level, keyword, priority, tags, planning and properties match org-element")
  func agrees() throws {
    let files = try Self.files()
    #expect(files.count >= 300)
    let reports = try Self.report(of: files)
    #expect(reports.count == files.count)
    #expect(reports.reduce(0) { $0 + $1.count } > 1000)
    for (file, report) in zip(files, reports) {
      let ours = OrgDocument(file).entries.map(Self.line)
      #expect(ours == report)
    }
  }

  /// An entry in the format of the script below.
  private static func line(_ entry: OrgEntry) -> String {
    let properties = entry.properties.filter { !$0.key.hasSuffix("+") }
      .map { "\($0.key.uppercased())=\($0.value)" }.sorted()
    let parts = [
      String(entry.level), entry.keyword ?? "", entry.priority ?? "", entry.tags.joined(separator: ":"),
      raw(.closed, entry), raw(.deadline, entry), raw(.scheduled, entry), properties.joined(separator: ";"),
    ]
    return parts.joined(separator: "|")
  }

  private static func raw(_ kind: Planning.Kind, _ entry: OrgEntry) -> String {
    entry.planningLine?[kind]?.string ?? ""
  }

  private static func files() throws -> [[UInt8]] {
    var files = (0..<260 as Range<UInt64>).map { Versions(seed: $0).ours }
    files += try MergeCase.files.flatMap { try [$0.file("base.org"), $0.file("expected.org")] }
    if let corpus = ProcessInfo.processInfo.environment["SYNCD_CORPUS"] {
      let root = URL(filePath: corpus)
      let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path()).filter { $0.hasSuffix(".org") }
      files += paths.compactMap { try? Array(Data(contentsOf: root.appending(path: $0))) }
    }
    // Emacs decodes invalid UTF-8 and carriage returns differently.
    return files.filter { String(validating: $0, as: UTF8.self) != nil && !$0.contains(.carriageReturn) }
  }

  private static func report(of files: [[UInt8]]) throws -> [[String]] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "orgkit-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (number, file) in files.enumerated() { try Data(file).write(to: folder.appending(path: "\(number).org")) }
    try script.write(to: folder.appending(path: "report.el"), atomically: true, encoding: .utf8)
    var command = Command(["emacs", "-Q", "--batch", "-l", "report.el", "--eval", "(report \(files.count))"])
    command.folder = folder.path()
    try command.succeed()
    return try files.indices.map { number in
      let text = try String(contentsOf: folder.appending(path: "\(number).txt"), encoding: .utf8)
      return text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
    }
  }

  private static let script = #"""
    (require 'org) (require 'org-element) (require 'org-inlinetask)
    (setq org-todo-keywords '((sequence "TODO" "NEXT" "WAITING" "|" "DONE" "CANCELLED"))
          org-inlinetask-min-level 15 org-inhibit-startup t vc-handled-backends nil
          enable-local-variables nil org-element-use-cache nil)
    (defun raw (stamp) (if stamp (org-element-property :raw-value stamp) ""))
    (defun properties (headline)
      (let ((drawer nil) (found nil))
        (org-element-map (list headline) 'property-drawer
          (lambda (d) (when (eq (org-element-property :parent (org-element-property :parent d)) headline) (setq drawer d))))
        (when drawer
          (org-element-map drawer 'node-property
            (lambda (p)
              (unless (string-suffix-p "+" (org-element-property :key p))
                (push (format "%s=%s" (upcase (org-element-property :key p)) (or (org-element-property :value p) "")) found)))))
        (mapconcat #'identity (sort found #'string<) ";")))
    (defun line (headline)
      (let ((priority (org-element-property :priority headline)))
        (format "%d|%s|%s|%s|%s|%s|%s|%s\n"
          (org-element-property :level headline)
          (or (org-element-property :todo-keyword headline) "")
          (if priority (char-to-string priority) "")
          (mapconcat #'substring-no-properties (org-element-property :tags headline) ":")
          (raw (org-element-property :closed headline))
          (raw (org-element-property :deadline headline))
          (raw (org-element-property :scheduled headline))
          (properties headline))))
    (defun report (count)
      (let ((coding-system-for-read 'utf-8-unix) (coding-system-for-write 'utf-8-unix))
        (dotimes (number count)
          (with-temp-buffer
            (insert-file-contents (format "%d.org" number))
            (let ((org-mode-hook nil)) (org-mode))
            (let ((lines (org-element-map (org-element-parse-buffer 'element) 'headline #'line)))
              (with-temp-file (format "%d.txt" number) (insert (apply #'concat lines))))))))
    """#
}

private let emacs = program("emacs")
