/** Refusals of features that their callers may not know of. */
const hidden = new WeakSet<Error>()

export function markAsHidden(refusal: Error): void {
  hidden.add(refusal)
}

/** Whether the error of `onFailed` looks like a missing feature to the caller (`authorization.hideForbidden`). */
export function isHiddenRefusal(error: Error): boolean {
  return hidden.has(error)
}
