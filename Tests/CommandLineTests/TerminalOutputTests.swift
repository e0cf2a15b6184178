import ArgumentParser
import SyncDaemon
import SyncKit
import Testing

@testable import CommandLine

@Suite("Output for a terminal") struct TerminalOutputTests {
  @Test(
    "colours follow NO_COLOR, CLICOLOR_FORCE, CLICOLOR and the terminal",
    arguments: [
      ([:], true, true), ([:], false, false), (["NO_COLOR": "1"], true, false), (["NO_COLOR": ""], true, true),
      (["NO_COLOR": "1", "CLICOLOR_FORCE": "1"], true, false), (["CLICOLOR_FORCE": "1"], false, true),
      (["CLICOLOR_FORCE": "0"], false, false), (["CLICOLOR": "0"], true, false), (["CLICOLOR": "1"], false, false),
      (["TERM": "dumb"], true, false),
    ] as [([String: String], Bool, Bool)])
  func colours(variables: [String: String], isTerminal: Bool, isUsed: Bool) {
    #expect(Colour.isUsed({ variables[$0] }, onTerminal: isTerminal) == isUsed)
  }

  @Test("the pager is chosen as git chooses it")
  func pager() {
    func command(_ variables: [String: String]) -> String? { Pager.command { variables[$0] } }
    #expect(command([:]) == "less")
    #expect(command(["PAGER": "more -s"]) == "more -s")
    #expect(command(["PAGER": "more", "SYNCD_PAGER": "most"]) == "most")
    #expect(command(["PAGER": "more", "SYNCD_PAGER": ""]) == nil)
    #expect(command(["PAGER": "cat"]) == nil)
  }

  @Test("a table fits the width of the terminal: its long column is cut in the middle")
  func table() {
    let rows = [
      ["usb", "folder", "/media/ann/a-very-long-name-of-a-disk/and/a/deep/folder"],
      ["cloud", "webdav", "https://dav.example.org/"],
    ]
    let table = TextTable(rows: rows, flexible: 2)
    #expect(table.lines(width: nil)[0] == "usb    folder  /media/ann/a-very-long-name-of-a-disk/and/a/deep/folder")
    for width in 30...70 { #expect(table.lines(width: width).allSatisfy { $0.count <= width }, "\(width)") }
    #expect(table.lines(width: 40)[0].hasSuffix("deep/folder") && table.lines(width: 40)[0].contains("…"))
    #expect(TextTable.cut("abcdef", to: 6) == "abcdef" && TextTable.cut("abcdef", to: 5) == "ab…ef")
  }

  @Test("progress shows the rate and the time left, and fits the terminal")
  func progress() {
    let progress = Progress(remote: "cloud", stage: .writing, done: 250, total: 1_000, bytes: 5 << 20)
    let line = ProgressText(progress, elapsed: 10).line(width: 80)
    #expect(line.contains("250 of 1000, 512.0 KiB/s, 30s left") && line.contains("█"))
    #expect(!ProgressText(progress, elapsed: 0.5).line(width: 80).contains("left"))
    for width in 20...100 { #expect(ProgressText(progress, elapsed: 10).line(width: width).count < width) }
    let ended = Progress(remote: "cloud", stage: .writing, done: 1_000, total: 1_000)
    #expect(!ProgressText(ended, elapsed: 10).line(width: 80).contains("left"))
    #expect(
      ProgressText(Progress(remote: "cloud", stage: .scanning), elapsed: 3).line(width: 80) == "cloud: scanning …")
  }

  /// The words of a command line, with quotes as in a shell.
  private func words(_ line: String) -> [String] {
    var (words, word, quote, isOpen) = ([String](), "", Character?.none, false)
    for character in line {
      switch character {
      case quote: quote = nil
      case "\"" where quote == nil, "'" where quote == nil: (quote, isOpen) = (character, true)
      case " " where quote == nil:
        if isOpen { words.append(word) }
        (word, isOpen) = ("", false)
      default:
        word.append(character)
        isOpen = true
      }
    }
    return isOpen ? words + [word] : words
  }

  @Test("each command has examples, and the program accepts each of them")
  func examples() throws {
    func all(_ command: CommandDescription) -> [CommandExample] {
      CommandExample.split(command.discussion ?? "").examples + command.commands.flatMap(all)
    }
    for command in try CommandDescription.root().commands where command.commandName != "manual" {
      let examples = all(command) + (CommandExample.standard[command.commandName] ?? [])
      #expect(
        !examples.isEmpty, "\(command.commandName) has no example in its discussion or in CommandExample.standard")
      for example in examples {
        // The shell takes redirections away.
        let words = words(example.line).prefix { $0 != ">" }
        #expect(words.first == "syncd", "\(example.line)")
        do { _ = try RootCommand.parseAsRoot(Array(words.dropFirst())) } catch {
          // The tests have no terminal.
          let message = RootCommand.message(for: error)
          #expect(message.contains("on a terminal to be asked"), "\(example.line): \(message)")
        }
      }
    }
  }
}
