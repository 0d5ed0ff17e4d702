import type { EnabledDecision } from '../context/enabled-decision.js'
import { describeValue } from '../errors/describe-value.js'
import type { Diagnostics } from '../errors/diagnostics.js'
import { checkNames } from '../options/check-names.js'
import { isObject, isStringList } from '../options/kinds.js'

export interface Tagged {
  readonly tags: readonly string[]
}

/** Reads the argument of `catalog.enable` and `catalog.disable`. Reports other values, because untyped code can pass them. */
export function readSelection(
  method: string,
  given: unknown,
  diagnostics: Diagnostics,
): readonly [EnabledDecision['by'], readonly string[]] {
  const called = `catalog.${method}`
  if (typeof given === 'string') return ['name', [given]]
  if (!isObject(given)) {
    const fix = "Give a name, or tags: { tags: ['beta'] }."
    diagnostics.add('bad-option', `${called} was given ${describeValue(given)}. ${fix}`)
    return ['tag', []]
  }
  checkNames(given, ['tags'], diagnostics, { prefix: `${called}: ` })
  const { tags }: { readonly tags?: unknown } = given
  if (isStringList(tags) && tags.length > 0) return ['tag', tags]
  diagnostics.addBadOption(`${called}: tags`, tags, 'Give an array of at least one string.')
  return ['tag', []]
}
