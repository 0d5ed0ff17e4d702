/** A handler returned something that may not leave. An internal failure: the text is for the log. */
export class UnfitResult extends Error {
  override readonly name = 'UnfitResult'
}
