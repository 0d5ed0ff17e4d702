import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import type { ValidationError } from './describe-errors.js'
import { atPointer, atReference } from './json-pointer.js'
import { isOneOf } from './keywords.js'
import { collectMembers, type Members } from './members.js'
import { listOf } from './subschemas.js'

export interface Discriminator {
  readonly name: string
  readonly values: readonly unknown[]
  readonly isMatching: (branch: number) => boolean
}

/** Returns the members of each branch of a union, or an empty list if its path cannot be followed in the schema. */
export function membersOfBranches(root: JsonObject, path: string): readonly Members[] {
  const keys = path.split('/').slice(1)
  const branches = keys.reduce<unknown>((part, key) => atKey(root, part, key), root)
  return listOf(branches).map((branch) => collectMembers(isJsonObject(branch) ? branch : {}, root))
}

/** Returns a member of a part. TypeBox's paths continue through references without a mark. */
function atKey(root: JsonObject, part: unknown, key: string): unknown {
  const member = atPointer(part, `/${key}`)
  if (member !== undefined || !isJsonObject(part)) return member
  return typeof part['$ref'] === 'string' ? atPointer(atReference(root, part['$ref']), `/${key}`) : undefined
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

export function discriminatorsIn(
  errors: readonly (readonly ValidationError[] | undefined)[],
  branches: readonly number[],
  path: string,
): readonly Discriminator[] {
  const found = new Map<string, Map<number, readonly unknown[]>>()
  for (const branch of branches) {
    for (const error of errors[branch] ?? []) {
      const [name, ...deeper] = error.instancePath.slice(path.length + 1).split('/')
      const values = valuesAllowedBy(error)
      if (!name || deeper.length > 0 || values === null) continue
      found.set(name, (found.get(name) ?? new Map<number, readonly unknown[]>()).set(branch, values))
    }
  }
  return [...found].map(([name, values]) => {
    return { name, values: [...values.values()].flat(), isMatching: (branch) => !values.has(branch) }
  })
}

/** Returns the values that the error of a constant allows; `null` for other errors. */
export function valuesAllowedBy({ keyword, params }: ValidationError): readonly unknown[] | null {
  const { allowedValue, allowedValues } = params as { allowedValue?: unknown; allowedValues?: readonly unknown[] }
  if (keyword === 'const') return [allowedValue]
  return keyword === 'enum' ? (allowedValues ?? null) : null
}
