/// The command lines that start the other side. The letters are those that servers and their wrappers, such as `rrsync`,
/// are used to; `e.LfxC` is what chooses our dialect, and has to be last.
public enum ServerCommand: Sendable {
  /// Everything below the root.
  case list
  /// Files that are named in the stream, with hashes; `removing` where some of them may be removed.
  case lookUp(removing: Bool)
  /// Takes files in. What it replaces is kept beside it, with `suffix` behind its name.
  case receive(suffix: String)
  /// Takes files into a folder in the root that is made for them, each as the difference to what the root has.
  case stage(folder: String)
  /// Takes a folder in, which is made.
  case makeFolder

  /// The whole command for a shell.
  public func line(program: String, root: String) -> String {
    ([program, "--server"] + options + [".", Self.quoted(Self.path(root) + target)]).joined(separator: " ")
  }

  /// What stands behind the slash of the root. Behind a further dot, a server does not create what is not there.
  private var target: String {
    switch self {
    case .list, .lookUp: ""
    case .receive, .makeFolder: "."
    case .stage(let folder): folder + "/"
    }
  }

  private var options: [String] {
    switch self {
    case .list: ["--sender", "-rlte.LfxC"]
    case .lookUp(let removing):
      ["--sender", "-ltcRe.LfxC", "--files-from=-", "--from0", "--ignore-missing-args"]
        + (removing ? ["--remove-source-files"] : [])
    // Removing source files removes none of ours: the server then says which files are in place.
    case .receive(let suffix): ["-bldtOce.LfxC", "--suffix=\(suffix)", "--remove-source-files"]
    // Relative to the folder that is made: what a file in it is compared with lies at the same place in the root.
    case .stage: ["-ldtOce.LfxC", "--compare-dest=.."]
    case .makeFolder: ["-ldtOe.LfxC"]
    }
  }

  /// The root with a slash behind it: what is in it is meant. A command starts in the home folder, and a quoted tilde would
  /// be a name.
  public static func path(_ root: String) -> String {
    var path = root == "~" ? "." : root.hasPrefix("~/") ? String(root.dropFirst(2)) : root
    while path.hasPrefix("/"), root.hasPrefix("~/") { path.removeFirst() }
    if path.isEmpty { path = "." }
    if path.hasPrefix("-") { path = "./" + path }
    return path.hasSuffix("/") ? path : path + "/"
  }

  /// A word for every shell, and for `rrsync`: a backslash in front of every byte that could mean something.
  static func quoted(_ word: String) -> String {
    let plain = Array("_-./=+:@%,".utf8)
    var bytes: [UInt8] = []
    for byte in word.utf8 {
      let isLetter = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      if !isLetter, byte <= 0x7F, !plain.contains(byte) { bytes.append(0x5C) }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
