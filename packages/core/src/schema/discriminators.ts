import type { JsonObject } from '../rpc/messages.js'
import type { ValidationError } from './describe-errors.js'
import { isOneOf } from './keywords.js'
import type { Members } from './members.js'

interface Discriminator {
  readonly name: string
  readonly values: readonly unknown[]
  readonly isMatching: (branch: number) => boolean
}

export function discriminatorsOf(
  members: readonly Members[],
  branches: readonly number[],
  value: JsonObject,
): readonly Discriminator[] {
  const names = members[branches[0] ?? 0]?.properties.keys() ?? []
  return [...names].flatMap((name) => {
    const allowed = members.map(({ properties }) => constantsOf(properties.get(name)))
    if (branches.some((branch) => !allowed[branch])) return []
    const isMatching = (branch: number): boolean =>
      Object.hasOwn(value, name) ? isOneOf(allowed[branch] ?? [])(value[name]) : !members[branch]?.required.has(name)
    return [{ name, values: branches.flatMap((branch) => allowed[branch] ?? []), isMatching }]
  })
}

/** Returns all values that a property allows; `null` if the property also allows other values. */
function constantsOf(schemas: readonly JsonObject[] = []): readonly unknown[] | null {
  const values = schemas.map((schema) => ('const' in schema ? [schema['const']] : schema['enum']))
  return values.length > 0 && values.every(Array.isArray) ? values.flat() : null
}

/** Returns the values that the error of a constant allows; `null` for other errors. */
export function valuesAllowedBy({ keyword, params }: ValidationError): readonly unknown[] | null {
  const { allowedValue, allowedValues } = params as { allowedValue?: unknown; allowedValues?: readonly unknown[] }
  if (keyword === 'const') return [allowedValue]
  return keyword === 'enum' ? (allowedValues ?? null) : null
}
