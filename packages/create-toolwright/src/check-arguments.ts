import type { ArgsDef } from 'citty'
import { usageError } from './command-error.js'

/**
 * Rejects arguments that citty ignores: unknown options, options without their value, and further positional arguments.
 *
 * @throws CommandError that names the argument.
 */
export function checkArguments(
  definitions: ArgsDef,
  raw: readonly string[],
  read: { readonly _: readonly string[]; readonly [name: string]: unknown },
): void {
  const end = raw.indexOf('--')
  for (const argument of raw.slice(0, end === -1 ? raw.length : end)) {
    if (/^-./.test(argument) && !isDefined(definitions, argument)) {
      throw usageError(`Unknown option '${argument.split('=')[0]}'. --help lists the options.`)
    }
  }
  for (const [name, { type, ...definition }] of Object.entries(definitions)) {
    if (type !== 'string' || read[name] !== '') continue
    const { valueHint = 'VALUE' } = definition
    throw usageError(`Missing value: --${name} ${valueHint}.`)
  }
  const [, ...rest] = read._
  if (rest.length > 0) throw usageError(`Unexpected argument '${rest.join(' ')}'. Quote a FOLDER that contains spaces.`)
}

function isDefined(definitions: ArgsDef, argument: string): boolean {
  const name = argument.replace(/^--?/, '').replace(/=.*$/s, '')
  return Object.entries(definitions).some(([defined, { type, ...definition }]) => {
    if (type === 'positional') return false
    const aliases = 'alias' in definition ? [definition.alias].flat() : []
    if (!argument.startsWith('--')) return aliases.includes(name)
    return name === defined || (type === 'boolean' && name === `no-${defined}`)
  })
}
