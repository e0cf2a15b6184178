import SettingsRegistry
import SyncKit

extension RemoteDraft {
  /// A setting of one of the remote's plugins.
  struct Question {
    let plugin: String
    let declaration: SettingDeclaration

    func isSame(as other: Self) -> Bool { plugin == other.plugin && declaration.key == other.declaration.key }
  }

  /// The settings of the remote's plugins.
  var questions: [Question] {
    kind.plugins.flatMap { plugin in
      plugin.declarations.map { Question(plugin: plugin.id, declaration: $0) }
    }
  }

  /// Returns the settings to correct after a mistake in a file with this draft: the setting on its line. A mistake of a whole
  /// table belongs to the settings that the message names, or to the folder if it names none.
  func questions(toCorrect mistake: Diagnostic, in file: String) -> [Question] {
    let lines = file.split(separator: "\n", omittingEmptySubsequences: false).prefix(mistake.location.line)
    guard let line = lines.last, let table = lines.last(where: { $0.hasPrefix("[") }) else { return [] }
    let own = questions.filter { "[remotes.\(remote)]" == table || "[remotes.\(remote).\($0.plugin)]" == table }
    guard line == table else { return own.filter { line.hasPrefix("\($0.declaration.key) = ") } }
    let named = own.filter { mistake.message.contains("`\($0.declaration.key)`") }
    return named.isEmpty ? own.filter(\.declaration.isLocalFolder) : named
  }

  /// Returns the answer to a question; nil if it has none.
  func answer(to question: Question) -> Answer? { answers.first { $0.answers(question) } }

  /// Replaces the answer to a question; nil removes it.
  mutating func setAnswer(_ answer: Answer?, to question: Question) {
    let place = answers.firstIndex { $0.answers(question) }
    if let place { answers.remove(at: place) }
    if let answer { answers.insert(answer, at: place ?? answers.endIndex) }
  }
}

extension RemoteDraft.Answer {
  init(to question: RemoteDraft.Question, value: String, secret: String? = nil, text: String? = nil) {
    self.init(
      plugin: question.plugin, declaration: question.declaration, value: value, secret: secret, text: text)
  }

  fileprivate func answers(_ question: RemoteDraft.Question) -> Bool {
    plugin == question.plugin && declaration.key == question.declaration.key
  }
}
