import { randomUUID } from 'node:crypto'

const ids = new WeakMap<object, string>()

/** Joins the answer to a request that failed unexpectedly with what the log, spans and hooks say of it. */
export function errorIdOf(request: object): string {
  const known = ids.get(request)
  if (known !== undefined) return known
  const id = randomUUID()
  ids.set(request, id)
  return id
}
