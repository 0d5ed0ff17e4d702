/** Rejections for features that must look missing to their callers. */
const hidden = new WeakSet<Error>()

/** Actual rejections. The key is the error that the client gets instead. Set only for calls whose hooks have begun. */
const reasons = new WeakMap<Error, Error>()

export function markAsHidden(rejection: Error): void {
  hidden.add(rejection)
}

/** Whether the caller gets the error of a missing feature in place of `error` (`authorization.hideForbidden`). */
export function isHiddenRejection(error: Error): boolean {
  return hidden.has(error)
}

export function hideReason<Answer extends Error>(answer: Answer, rejection: Error): Answer {
  markAsHidden(rejection)
  reasons.set(answer, rejection)
  return answer
}

export function reasonOf(error: Error): Error {
  return reasons.get(error) ?? error
}
