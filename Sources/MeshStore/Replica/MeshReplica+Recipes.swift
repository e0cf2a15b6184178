import MeshState
package import SyncKit

extension MeshReplica {
  /// Returns how a device that has the former versions of a segment's contents rebuilds it; nil if it cannot, or if none of them is
  /// known here. A damaged segment has none: it is sent as it is, and refused.
  package func recipe(of name: SegmentName) throws(SyncError) -> SegmentRecipe? {
    guard name.length <= UInt64(SegmentRecipe.largestSegment), let bytes = try folder.segment(name) else { return nil }
    let mesh = try load()
    do throws(FormatError) {
      guard let (salt, body) = try Segment.content(bytes, secret) else { return nil }
      let table = try MeshTable(body)
      var recipe = SegmentRecipe(salt: salt, table: body, parts: [])
      for digest in table.ownContents {
        guard let content = held(digest, mesh) else { return nil }
        recipe.parts.append(SegmentRecipe.Part(content, from: former(of: digest, in: table, mesh)))
      }
      guard recipe.parts.contains(where: { $0.base != nil }), try rebuilt(recipe, mesh) == bytes else { return nil }
      return recipe
    } catch { return nil }
  }

  /// Rebuilds a segment; nil if a former version is not here. Throws `.suspect` if the recipe is not one.
  package func segment(rebuiltBy recipe: SegmentRecipe) throws(SyncError) -> [UInt8]? {
    let mesh = try load()
    do throws(FormatError) { return try rebuilt(recipe, mesh) } catch {
      throw SyncError(.suspect, "a device sent a segment that cannot be rebuilt: \(error.reason)")
    }
  }

  private func rebuilt(_ recipe: SegmentRecipe, _ mesh: StoredMesh) throws(FormatError) -> [UInt8]? {
    let digests = try MeshTable(recipe.table).ownContents
    guard digests.count == recipe.parts.count else { throw FormatError("a recipe has another number of contents") }
    var found: [(digest: Digest, bytes: [UInt8])] = []
    for (digest, part) in zip(digests, recipe.parts) {
      guard let former = part.base.map({ held($0, mesh) }) ?? [] else { return nil }
      let content = try part.content(from: former)
      guard Digest(of: content) == digest else { throw FormatError("a recipe makes another content") }
      found.append((digest, blobs.encrypt(content, digest: digest)))
      remember(content, digest)
    }
    return Segment(blobs: found, salt: recipe.salt).bytes(tableBytes: recipe.table, secret)
  }

  /// The latest version that a content of a table replaced and that is still here.
  private func former(
    of digest: Digest, in table: MeshTable, _ mesh: StoredMesh
  ) -> (digest: Digest, content: [UInt8])? {
    let version = table.rows.lazy.flatMap(\.versions).first { $0.digest == digest }
    for ancestor in version?.lineage ?? [] {
      if let content = held(ancestor.digest, mesh) { return (ancestor.digest, content) }
    }
    return nil
  }

  /// Returns a content of a present version, or of one that was replaced a short time ago; nil if it is not here, or damaged, which a
  /// pass reports: segments can travel without recipes.
  private func held(_ digest: Digest, _ mesh: StoredMesh) -> [UInt8]? {
    if let content = rebuiltContents[digest] { return content }
    guard let place = mesh.places[digest] ?? formerPlaces[digest],
      place.length <= UInt64(SegmentRecipe.largestSegment),
      let blob = try? folder.read(place.segment.root, from: place.offset, count: Int(place.length))
    else { return nil }
    return try? blobs.decrypt(blob, digest: digest)
  }

  /// Remembers a rebuilt content: the next recipe may refer to it before its head is joined.
  private func remember(_ content: [UInt8], _ digest: Digest) {
    guard content.count <= Self.rememberedSize else { return }
    if rebuiltContents.count >= Self.rememberedCount { rebuiltContents = [:] }
    rebuiltContents[digest] = content
  }

  private static let rememberedSize = 1 << 16
  private static let rememberedCount = 16

  /// Remembers where the contents are that a new state no longer has: the next recipe refers to them.
  func rememberPlaces(of former: StoredMesh, without new: StoredMesh) {
    let gone = former.places.filter { new.places[$0.key] == nil }
    if formerPlaces.count + gone.count > Self.formerLimit { formerPlaces = [:] }
    if gone.count <= Self.formerLimit { formerPlaces.merge(gone) { $1 } }
  }

  private static let formerLimit = 1_024
}

extension MeshTable {
  /// The contents in the table's own segment, in the order of their blobs.
  fileprivate var ownContents: [Digest] {
    places.filter { $0.value.segment == nil && $0.value.length > 0 }.sorted { $0.value.offset < $1.value.offset }
      .map(\.key)
  }
}
