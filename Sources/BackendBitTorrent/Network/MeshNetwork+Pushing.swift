import MeshStore
import SyncKit

/// Segments that travel as messages: a device gives them to another one before the head that names them.
extension MeshNetwork {
  /// Sends a segment, or how to rebuild it, if the message is small. What does not come so is fetched.
  func push(_ name: SegmentName, _ link: MeshLink, _ number: Int) async throws(SyncError) {
    if let recipe = try await replica.recipe(of: name)?.bytes, recipe.count <= MeshLink.segmentLimit {
      do throws(FormatError) { send(try link.message(recipe: recipe, random: runtime.random(12)), on: number) } catch {
        throw SyncError(.unexpected, error.reason)
      }
    } else if name.length <= UInt64(MeshLink.segmentLimit), let segment = try await replica.segment(name) {
      send(MeshLink.message(segment: segment), on: number)
    }
  }

  /// Keeps a segment for a head that has not come yet.
  func keep(pushed segment: [UInt8]) {
    if pushed.count >= Self.pushedLimit { pushed = [:] }
    pushed[MerkleRoot(of: segment)] = segment
  }

  /// Keeps a recipe until this device has what it refers to: the head before it may not be joined yet.
  func keep(_ recipe: SegmentRecipe) {
    if recipes.count >= Self.pushedLimit { recipes = [] }
    recipes.append(recipe)
  }

  private static let pushedLimit = 64

  /// Rebuilds the segments whose former versions are here now. Returns what is wrong with a recipe; the others are carried out.
  func rebuildSegments() async -> SyncError? {
    let waiting = recipes
    recipes = []
    var failure: SyncError?
    for recipe in waiting {
      do throws(SyncError) {
        if let segment = try await replica.segment(rebuiltBy: recipe) { keep(pushed: segment) } else { keep(recipe) }
      } catch { failure = error }
    }
    return failure
  }
}
