/// A point between two effects where a test can stop the program, make it fail or make it wait.
///
/// The module that has the failpoint declares it as a case of a ``ModuleFailpoint``. Each plugin lists the failpoints that
/// its code reaches, and ``Registry`` collects those of everything that the program is linked with.
public struct Failpoint: Sendable, Hashable {
  /// At least two words of lower-case letters and `-`, joined by dots, the first of which names the owner:
  /// `pass.batch.recorded`.
  public let name: String
  /// The promise of `docs/reliability.md` that a crash at this point threatens, such as `P7`.
  public let promise: String

  /// Creates a failpoint.
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

/// The failpoints of one module: an enum whose cases are the points and whose raw values are their names.
///
/// ```swift
/// enum BundleFailpoint: String, ModuleFailpoint {
///   case written = "bundle.file.written"
///   var promise: String { "P7" }
/// }
/// ```
public protocol ModuleFailpoint: RawRepresentable, CaseIterable, Sendable where RawValue == String {
  /// The promise that a crash at this point threatens.
  var promise: String { get }
}

extension ModuleFailpoint {
  /// All failpoints of the module, for the list of its plugin.
  public static var all: [Failpoint] { allCases.map { Failpoint($0.rawValue, threatening: $0.promise) } }
}
