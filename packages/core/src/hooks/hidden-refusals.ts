/** Refusals of features that their callers may not know of. */
const hidden = new WeakSet<Error>()

/** Reasons of errors that look like a missing feature, where hooks had begun already. */
const reasons = new WeakMap<Error, Error>()

export function markAsHidden(refusal: Error): void {
  hidden.add(refusal)
}

/** Whether the error of `onFailed` looks like a missing feature to the caller (`authorization.hideForbidden`). */
export function isHiddenRefusal(error: Error): boolean {
  return hidden.has(error)
}

/** Links the error that the client gets to the refusal that `onFailed` hooks get. @returns The error for the client. */
export function hideReason<Answer extends Error>(answer: Answer, refusal: Error): Answer {
  markAsHidden(refusal)
  reasons.set(answer, refusal)
  return answer
}

/** The refusal behind an error that looks like a missing feature, or the error itself. */
export function reasonOf(error: Error): Error {
  return reasons.get(error) ?? error
}
