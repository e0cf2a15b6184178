/// A place between two effects where a test can stop the program, make it fail or make it wait.
///
/// A failpoint is declared by the module that has it, as a case of a ``ModuleFailpoint``. The plugins list those that
/// their remotes reach, and ``Registry`` collects the failpoints of everything that a program is linked with.
public struct Failpoint: Sendable, Hashable {
  /// At least two words of lower-case letters and `-`, joined by dots; the first one says whose it is:
  /// `pass.batch.recorded`.
  public let name: String
  /// The promise of the program's manual on reliability that a crash at this place threatens, such as `P7`.
  public let promise: String

  /// A failpoint of exactly this name and promise.
  public init(_ name: String, threatening promise: String) {
    self.name = name
    self.promise = promise
  }

  /// Returns true if the name has the form that ``name`` describes.
  var isWellFormed: Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1
      && parts.allSatisfy { part in
        !part.isEmpty && part.unicodeScalars.allSatisfy { ("a"..."z").contains($0) || $0 == "-" }
      }
  }
}

/// The failpoints of one module: an enum whose cases are the places and whose raw values are their names.
///
/// ```swift
/// enum BundleFailpoint: String, ModuleFailpoint {
///   case written = "bundle.file.written"
///   var promise: String { "P7" }
/// }
/// ```
public protocol ModuleFailpoint: RawRepresentable, CaseIterable, Sendable where RawValue == String {
  /// The promise that a crash at this place threatens.
  var promise: String { get }
}

extension ModuleFailpoint {
  /// All failpoints of the module, for the list of a plugin or program.
  public static var all: [Failpoint] { allCases.map { Failpoint($0.rawValue, threatening: $0.promise) } }
}
