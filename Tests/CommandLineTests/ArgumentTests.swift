import ArgumentParser
import Testing

@testable import CommandLine

@Suite("Options and arguments")
struct ArgumentTests {
  @Test(arguments: ["", "5 apples", "-3s"])
  func `a time limit that is not a duration is refused`(text: String) { #expect(TimeLimit(argument: text) == nil) }

  @Test(arguments: [("90s", 90), ("5m", 300), ("1h", 3600)])
  func `a time limit is parsed with its unit`(text: String, seconds: Int64) {
    #expect(TimeLimit(argument: text)?.duration == .seconds(seconds))
  }

  @Test func `an empty file name is refused`() { #expect(StorePath(argument: "") == nil) }

  @Test(arguments: [
    (["statsu"], #"unknown command "statsu" (did you mean "status"?); `syncd --help` lists the commands"#),
    (
      ["--settings", "a.toml", "-v", "undoo"],
      #"unknown command "undoo" (did you mean "undo"?); `syncd --help` lists the commands"#
    ),
    (
      ["remote", "rest"],
      #"unknown command "remote rest" (did you mean "remote reset"?); `syncd remote --help` lists the commands"#
    ),
    (["frobnicate"], #"unknown command "frobnicate"; `syncd --help` lists the commands"#),
  ])
  func `an unknown command is refused with the nearest one`(arguments: [String], message: String) throws {
    let error = try #require(throws: ValidationError.self) { try CommandWord.check(arguments) }
    #expect(error.message == message)
  }

  @Test(arguments: [
    [], ["--once"], ["status"], ["--json", "status", "--watch"], ["help", "status"], ["remote", "reset", "home"],
    ["show", "stauts"], ["--version"], ["--unknown", "statsu"], ["remote", "--help"],
    ["settings", "check"], ["hook", "install", "repository"], ["service", "print"], ["settings"],
  ])
  func `a command line with known commands is left to the parser`(arguments: [String]) throws {
    try CommandWord.check(arguments)
  }

  @Test func `every command has a name that a mistyped one is compared with`() {
    var commands: [any ParsableCommand.Type] = [RootCommand.self]
    var count = 0
    while let command = commands.popLast() {
      #expect(command == RootCommand.self || command.configuration.commandName != nil, "\(command)")
      commands += command.configuration.subcommands
      count += 1
    }
    #expect(count > 20)
  }
}
