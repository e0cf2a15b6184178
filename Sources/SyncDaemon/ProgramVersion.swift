/// The version of this program.
package enum ProgramVersion {
  package static let number = "0.1.0"
}
