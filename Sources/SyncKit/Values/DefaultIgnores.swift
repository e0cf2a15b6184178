/// What no one wants to sync, in the syntax of `.gitignore`: an editor's locks and leftovers, what other tools keep
/// beside the files, what is rebuilt anyway.
public enum DefaultIgnores {
  /// They stand before the user's own lines, which can take back in what they ignore.
  public static let lines = emacs + org + editors + systems + tools

  private static let emacs = [".#*", "\\#*#", "*~", "*.~[0-9]*~", "*.~undo-tree~", ".saves-*", "*.elc"]
  private static let org = [".org-id-locations", ".orgids", "org-roam.db*"]
  /// Vim's; and what Foundation writes before it takes the place of a file (measured in Swift 6.3).
  private static let editors = [".*.sw?", "4913", ".dat.nosync*"]
  private static let systems = [".DS_Store", "._*", "Thumbs.db", "desktop.ini", ".fuse_hidden*", ".nfs*"]
  private static let tools = [".git", ".stfolder", ".stversions", ".sync*.db*", ".dropbox*", "*.partial"]
}
