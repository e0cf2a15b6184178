/// What no one wants to sync, in the syntax of `.gitignore`: an editor's locks and leftovers, what other tools keep
/// beside the files, what is rebuilt anyway.
public enum DefaultIgnores {
  /// They stand before the user's own lines, which can take back in what they ignore.
  public static let lines = emacs + org + editors + systems + tools

  private static let emacs = [".#*", "\\#*#", "*~", "*.~[0-9]*~", "*.~undo-tree~", ".saves-*", "*.elc"]
  private static let org = [".org-id-locations", ".orgids", "org-roam.db*"]
  private static let editors = [".*.sw?", "4913"]
  private static let systems = [".DS_Store", "._*", "Thumbs.db", "desktop.ini", ".fuse_hidden*", ".nfs*"]
  private static let tools = [".git", ".stfolder", ".stversions", ".sync*.db*", ".dropbox*", "*.partial"]
}
