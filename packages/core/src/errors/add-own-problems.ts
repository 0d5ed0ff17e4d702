import type { BootProblemCode } from './boot-error.js'
import type { Problems } from './problems.js'

/**
 * Adds what an object of the application's says of itself, which may be anything.
 *
 * @param owner What it was given as: `authentication`.
 * @param own Its `problems`; `undefined` or `null`: none.
 */
export function addOwnProblems(owner: string, own: unknown, problems: Problems): void {
  if (own === undefined || own === null) return
  if (Array.isArray(own)) {
    for (const [index, one] of own.entries()) addOwn(`${owner}: problems[${index}]`, one, problems)
    return
  }
  problems.addBadOption(`${owner}: problems`, own, 'Give an array of { code, message }, or leave it out.')
}

function addOwn(name: string, own: unknown, problems: Problems): void {
  const { code, message } = Object(own) as { readonly code?: unknown; readonly message?: unknown }
  if (typeof code === 'string' && typeof message === 'string') problems.add(code as BootProblemCode, message)
  else problems.addBadOption(name, own, 'Give { code, message }, both strings.')
}
