/// Merges folders file by file, and their Org files as one forest.
struct FolderMerge {
  private let folders: Three<OrgMerge.Folder>
  private let options: OrgMerge.Options
  private let files: [Three<OrgMerge.Path?>]
  private(set) var result = OrgMerge.FolderResult()
  /// The maximum size of text that merges by lines.
  private static let textLimit = 10_000_000

  init(_ folders: Three<OrgMerge.Folder>, options: OrgMerge.Options) {
    self.folders = folders
    self.options = options
    files = FileMatching(folders).files
  }

  mutating func run() {
    var org: [Three<OrgMerge.Path?>] = []
    for file in files {
      let contents = contents(of: file)
      if isOrg(file, contents), !isUnchanged(contents) {
        org.append(file)
      } else {
        merge(file, contents)
      }
    }
    mergeForest(org)
  }

  private func contents(of file: Three<OrgMerge.Path?>) -> Three<[UInt8]?> {
    file.zip(folders).map { path, folder in path.flatMap { folder[$0] } }
  }

  private func isUnchanged(_ contents: Three<[UInt8]?>) -> Bool {
    contents.ours == contents.base && contents.theirs == contents.base
  }

  private func isOrg(_ file: Three<OrgMerge.Path?>, _ contents: Three<[UInt8]?>) -> Bool {
    file.all.compactMap(\.self).allSatisfy(\.isOrg)
      && !contents.all.contains { $0.map(OrgMerge.isBinary) ?? false }
  }

  /// Returns the path of the file in the result; renames on both sides to different paths are a conflict.
  private func path(of file: Three<OrgMerge.Path?>) -> (path: OrgMerge.Path, isDisputed: Bool) {
    guard let ours = file.ours, let theirs = file.theirs else {
      return (file.ours ?? file.theirs ?? file.base ?? "", false)
    }
    if let settled = file.settled.flatMap(\.self) { return (settled, false) }
    return (min(ours, theirs), true)
  }

  private mutating func put(_ content: [UInt8], at path: OrgMerge.Path, isConflict: Bool = false) {
    if isConflict { result.conflicts.insert(path) }
    guard let present = result.files[path], present != content else {
      result.files[path] = content
      return
    }
    // Two files have the same path: both stay.
    keepBoth(present, content, at: path)
  }

  /// Keeps both contents: the one with the smaller digest keeps the name, the other is named after its digest.
  private mutating func keepBoth(_ one: [UInt8], _ other: [UInt8], at path: OrgMerge.Path) {
    let digests = [one, other].map { SHA256($0) }
    let isOneFirst = !precedes(digests[1].bytes, digests[0].bytes)
    let copy = path.insertingBeforeExtension(".conflict-\(digests[isOneFirst ? 1 : 0].shortName)")
    result.files[path] = isOneFirst ? one : other
    result.files[copy] = isOneFirst ? other : one
    result.conflicts.insert(path)
  }
}

// MARK: - Other files

extension FolderMerge {
  private mutating func merge(_ file: Three<OrgMerge.Path?>, _ contents: Three<[UInt8]?>) {
    let (path, isDisputed) = path(of: file)
    if let settled = contents.settled {
      if let settled { put(settled, at: path, isConflict: isDisputed) }
      return
    }
    guard let ours = contents.ours, let theirs = contents.theirs else {
      // Deleted on one side, changed on the other: kept.
      if let kept = contents.ours ?? contents.theirs { put(kept, at: path, isConflict: true) }
      return
    }
    let versions = [contents.base ?? [], ours, theirs]
    if versions.allSatisfy(Self.isText),
      let merged = LineMerge(base: versions[0], ours: ours, theirs: theirs).content
    {
      put(merged, at: path, isConflict: isDisputed)
    } else {
      keepBoth(ours, theirs, at: path)
    }
  }

  private static func isText(_ content: [UInt8]) -> Bool {
    content.count <= textLimit && !content.contains(0)
      && String(validating: content, as: UTF8.self) != nil
  }
}

// MARK: - Org files

extension FolderMerge {
  private mutating func mergeForest(_ files: [Three<OrgMerge.Path?>]) {
    if files.isEmpty { return }
    let contents = files.map(contents(of:))
    let opened = contents.map { $0.map { $0.map(Envelope.open) } }
    var roots = files.map { _ in Three<Int?>(base: nil, ours: nil, theirs: nil) }
    let outlines = Three(
      base: outline(opened.map { $0.base?.text }, \.base, &roots),
      ours: outline(opened.map { $0.ours?.text }, \.ours, &roots),
      theirs: outline(opened.map { $0.theirs?.text }, \.theirs, &roots))
    let places = files.map(path(of:))
    let names = Dictionary(uniqueKeysWithValues: places.enumerated().map { ($0, $1.path) })
    var forest = ForestMerge(outlines, files: roots, fileNames: names, options: options)
    for (number, file) in files.enumerated() where places[number].isDisputed {
      forest.flagRename(of: number, from: [file.ours ?? "", file.theirs ?? ""].sorted())
    }
    let isComplete = forest.isComplete
    for number in files.indices where forest.structure.isAlive[number] {
      let text = forest.text(of: number)
      guard isComplete, forest.isConserving(file: number), forest.isTree(text, of: number) else {
        keepVersions(contents[number], at: places[number].path)
        continue
      }
      let envelopes = opened[number].map { $0?.envelope }
      guard let one = envelopes.ours ?? envelopes.theirs, let other = envelopes.theirs ?? envelopes.ours else {
        continue
      }
      let envelope = Envelope.merged(base: envelopes.base, ours: one, theirs: other)
      put(envelope.wrap(text), at: places[number].path, isConflict: !forest.isClean(file: number))
    }
    result.decisions += forest.decisions
  }

  private mutating func keepVersions(_ contents: Three<[UInt8]?>, at path: OrgMerge.Path) {
    guard let ours = contents.ours ?? contents.theirs, let theirs = contents.theirs ?? contents.ours else { return }
    keepBoth(ours, theirs, at: path)
  }

  /// Returns all files of a version as one outline; records the root of each file.
  private func outline(
    _ texts: [[UInt8]?], _ version: WritableKeyPath<Three<Int?>, Int?>, _ roots: inout [Three<Int?>]
  ) -> Outline {
    var text: [UInt8] = []
    var ranges: [Range<Int>] = []
    for file in texts.compactMap(\.self) {
      ranges.append(text.count..<text.count + file.count)
      text += file
    }
    let outline = Outline(text, files: ranges)
    let present = texts.indices.filter { texts[$0] != nil }
    for (number, root) in zip(present, outline.roots) { roots[number][keyPath: version] = root }
    return outline
  }
}
