import OrgKit
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Folders that a person names on the command line, outside store and remotes.
enum LocalFolder {
  /// All files below `folder`, by their paths in it.
  static func read(_ folder: String) throws(SyncError) -> OrgMerge.Folder {
    guard let paths = try? FileManager.default.subpathsOfDirectory(atPath: folder) else {
      throw SyncError(.pathFailed, "\(folder) cannot be read as a folder")
    }
    var files: OrgMerge.Folder = [:]
    for path in paths where isFile(folder + "/" + path) {
      files[OrgMerge.Path(path)] = try LocalFile.read(folder + "/" + path)
    }
    return files
  }

  /// Writes the files into `folder`, which must be empty or not there.
  static func write(_ files: OrgMerge.Folder, to folder: String) throws(SyncError) {
    guard (try? FileManager.default.contentsOfDirectory(atPath: folder))?.isEmpty ?? true else {
      throw SyncError(.pathFailed, "\(folder) is not empty")
    }
    try LocalFile.makeFolder(folder)
    for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
      let path = name.description
      if let slash = path.lastIndex(of: "/") { try LocalFile.makeFolder(folder + "/" + path[..<slash]) }
      try LocalFile.write(bytes, to: folder + "/" + path)
    }
  }

  private static func isFile(_ path: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.type] as? FileAttributeType == .typeRegular
  }
}
