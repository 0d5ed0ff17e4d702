import type { Diagnostics } from '../errors/diagnostics.js'
import { nearestName } from '../errors/nearest-name.js'

/** Texts for reports about unknown names. */
export interface NameAdvice {
  /** Precedes each name: `limits.`, `connectRedis: `. */
  readonly prefix?: string
  /** Word for an option in messages. Default: `an option`. */
  readonly noun?: string
  /** Advice for misplaced options, by name of the option. These names are rejected even if they are known. */
  readonly elsewhere?: Readonly<Record<string, string>>
  /** Advice on names that are not a misspelled option. Default: the list of all options. */
  readonly otherwise?: string
  /** The first sentence of the message. Default: `PREFIXname is not NOUN.` */
  readonly describe?: (name: string) => string
}

/** Reports options that do not exist: most are misspelt. */
export function checkNames(
  given: object,
  known: readonly string[],
  diagnostics: Diagnostics,
  { prefix = '', noun = 'an option', elsewhere = {}, otherwise, describe }: NameAdvice = {},
): void {
  for (const [name, value] of Object.entries(given)) {
    const isElsewhere = Object.hasOwn(elsewhere, name)
    if (value === undefined || (!isElsewhere && known.includes(name))) continue
    const others = known.filter((one) => !Object.hasOwn(elsewhere, one))
    const advice = isElsewhere ? elsewhere[name] : adviceOn(name, others, otherwise)
    diagnostics.add('bad-option', `${describe?.(name) ?? `${prefix}${name} is not ${noun}.`} ${advice}`)
  }
}

export function adviceOn(
  name: string,
  known: readonly string[],
  otherwise = `Give one of ${known.toSorted().join(', ')}.`,
): string {
  const nearest = nearestName(name, known)
  return nearest === undefined ? otherwise : `Did you mean ${nearest}?`
}
