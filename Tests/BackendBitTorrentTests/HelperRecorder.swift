import Foundation
import ProgramTesting

/// A program in place of the helper, which writes down the lines that it gets and says nothing. It keeps its standard output open.
struct HelperRecorder {
  private let scratch = ScratchFolder()

  init() throws {
    try Data("#!/bin/sh\necho $$ >\"$0.pid\"\nexec cat 3>&1 >\"$0.lines\"\n".utf8).write(to: URL(filePath: program))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
  }

  /// The path of the program.
  var program: String { scratch.path + "/recorder" }

  /// The complete lines so far.
  var lines: [String] {
    text(".lines").split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// True from its first step until it has ended.
  var isRunning: Bool { Int32(text(".pid").dropLast()).map { kill($0, 0) == 0 } ?? false }

  private func text(_ ending: String) -> String {
    String(decoding: FileManager.default.contents(atPath: program + ending) ?? Data(), as: UTF8.self)
  }
}
