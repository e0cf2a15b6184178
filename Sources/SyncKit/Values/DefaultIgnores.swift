/// The default ignore rules, in the syntax of `.gitignore`: locks and backups of editors, state that other tools keep beside
/// the files, and files that are generated.
public enum DefaultIgnores {
  /// The rules. They come before the user's own rules, which can include again what these ignore.
  public static let lines = emacs + org + editors + systems + tools

  private static let emacs = [".#*", "\\#*#", "*~", "*.~[0-9]*~", "*.~undo-tree~", ".saves-*", "*.elc"]
  private static let org = [".org-id-locations", ".orgids", "org-roam.db*"]
  /// Vim's files, and the temporaries of Foundation's atomic writes (measured in Swift 6.3).
  private static let editors = [".*.sw?", "4913", ".dat.nosync*"]
  private static let systems = [".DS_Store", "._*", "Thumbs.db", "desktop.ini", ".fuse_hidden*", ".nfs*"]
  private static let tools = [
    ".git", ".jj", ".hg", ".svn", ".stfolder", ".stversions", ".sync*.db*", ".dropbox*", "*.partial",
  ]
}
