/// Makes one change of one or more documents, exactly as Org makes it. Throws ``Refusal`` and changes nothing.
///
/// - Parameters:
///   - verb: the change.
///   - place: the entry, item or block that it concerns.
///   - files: the files; those that the verb changes are replaced.
///   - context: time, settings, answers and notes.
/// - Returns: what happened in addition to the change itself.
public func apply(
  _ verb: OrgVerb, to place: OrgPlace, in files: inout OrgFileSet, _ context: OrgContext
) throws(Refusal) -> [OrgEffect] {
  var editor = OrgEditor(files, context)
  try editor.visit(place)
  try editor.refuseConflictedEntry()
  try editor.perform(verb)
  try editor.storePendingLog()
  try editor.refuseTouchedConflicts()
  return editor.finish(&files)
}
