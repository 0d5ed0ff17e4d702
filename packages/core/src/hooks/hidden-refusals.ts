/** Refusals of features that their callers may not know of. */
const hidden = new WeakSet<Error>()

export function markAsHidden(refusal: Error): void {
  hidden.add(refusal)
}

/** Whether `onFailed` is told of a refusal that its caller takes for a missing feature (`authorization.hideForbidden`). */
export function isHiddenRefusal(error: Error): boolean {
  return hidden.has(error)
}
