/// The command lines that start the remote rsync. The option letters are those that rsync itself sends, because wrappers such
/// as `rrsync` check them; `e.LfxC` selects the protocol features and must come last.
public enum ServerCommand: Sendable {
  /// Lists everything below the root.
  case list
  /// Looks up files that are named in the stream, with hashes; `removing` if some of them may be removed.
  case lookUp(removing: Bool)
  /// Receives files. A replaced file is kept beside the new one, with `suffix` appended to its name.
  case receive(suffix: String)
  /// Receives files into a new folder in the root, each as the difference to the file in the root.
  case stage(folder: String)
  /// Creates a folder.
  case makeFolder

  /// The complete command line for a shell.
  public func line(program: String, root: String) -> String {
    ([program, "--server"] + options + [".", Self.quoted(Self.path(root) + target)]).joined(separator: " ")
  }

  /// The part after the root's slash. After an additional dot, a server does not create a missing root.
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
    // We have no source files to remove: the option makes the server report which files are in place.
    case .receive(let suffix): ["-bldtOce.LfxC", "--suffix=\(suffix)", "--remove-source-files"]
    // Relative to the new folder: a file is compared with the one at the same path in the root.
    case .stage: ["-ldtOce.LfxC", "--compare-dest=.."]
    case .makeFolder: ["-ldtOe.LfxC"]
    }
  }

  /// The root with a trailing slash, which stands for its content. A command starts in the home folder, and a quoted tilde
  /// would be a literal name.
  public static func path(_ root: String) -> String {
    var path = root == "~" ? "." : root.hasPrefix("~/") ? String(root.dropFirst(2)) : root
    while path.hasPrefix("/"), root.hasPrefix("~/") { path.removeFirst() }
    if path.isEmpty { path = "." }
    if path.hasPrefix("-") { path = "./" + path }
    return path.hasSuffix("/") ? path : path + "/"
  }

  /// Quotes a word for every shell, and for `rrsync`: a backslash before every byte that could have a meaning.
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
