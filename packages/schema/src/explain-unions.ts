import type { ValidationError } from './describe-errors.js'
import { isJsonObject, type JsonObject } from './json.js'
import { atPointer, toPointerKey } from './json-pointer.js'
import { isOneOf } from './keywords.js'
import type { Members } from './members.js'

type Branch = readonly ValidationError[]

interface UnionParams {
  /** Errors of the branches. Empty if too many branches of a `oneOf` match. */
  readonly branches: readonly Branch[]
  readonly members: () => readonly Members[]
}

/**
 * Reduces the errors of each union to the errors of the branch that the value was meant for. A caller that corrects the errors of all
 * branches at once cannot succeed.
 *
 * If several branches are possible, an error with the keyword `alternatives` replaces their errors.
 */
export function explainUnions(errors: Branch, value: unknown): Branch {
  return withoutEchoes(errors).flatMap((error) => {
    const { branches, members } = error.params as Partial<UnionParams>
    if (branches === undefined || members === undefined || branches.length === 0) return [error]
    const explained = branches.map((branch) => explainUnions(branch, value))
    return explainUnion(error, explained, members(), value)
  })
}

/**
 * Removes errors that repeat another error of the same value. Zod writes a `pattern` beside each `format`, and a `type` beside each
 * constant.
 */
function withoutEchoes(errors: readonly ValidationError[]): readonly ValidationError[] {
  const reported = new Set(errors.map(({ keyword, instancePath }) => `${keyword} ${instancePath}`))
  return errors.filter(
    ({ keyword, instancePath }) => !echoes[keyword]?.some((other) => reported.has(`${other} ${instancePath}`)),
  )
}

const echoes: Readonly<Record<string, readonly string[]>> = { pattern: ['format'], type: ['const', 'enum'] }

function explainUnion(
  union: ValidationError,
  branches: readonly Branch[],
  members: readonly Members[],
  value: unknown,
): Branch {
  const failed = [...branches.keys()]
  const branchOf = (index: number): Branch => branches[index] ?? []
  const isAtUnion = ({ instancePath }: ValidationError): boolean => instancePath === union.instancePath
  const ofType = failed.filter(
    (index) => !branchOf(index).some((error) => error.keyword === 'type' && isAtUnion(error)),
  )
  if (ofType.length === 0) return [{ ...union, keyword: 'type', params: { type: typesIn(branches.flat()) } }]
  const own = ofType.flatMap(branchOf)
  const constants = own.map((error) => (isAtUnion(error) ? valuesAllowedBy(error) : null))
  if (constants.every((values) => values !== null)) return [mustBeOneOf(union, constants.flat())]

  const part = atPointer(value, union.instancePath)
  let chosen = ofType
  if (isJsonObject(part)) {
    for (const { name, values, isMatching } of discriminatorsOf(members, ofType, part)) {
      const matching = chosen.filter(isMatching)
      if (matching.length > 0) chosen = matching
      else if (chosen === ofType) return [mustBeOneOf(union, values, `/${toPointerKey(name)}`)]
    }
  }
  const [first = [], ...others] = chosen.map(branchOf).toSorted((a, b) => a.length - b.length)
  return others.length === 0 ? first : [{ ...union, keyword: 'alternatives', params: { branches: [first, ...others] } }]
}

function typesIn(errors: Branch): readonly unknown[] {
  const types = errors.flatMap(({ keyword, params }) => {
    return keyword === 'type' ? (params as { readonly type: string | readonly string[] }).type : []
  })
  return [...new Set(types)]
}

function mustBeOneOf(union: ValidationError, values: readonly unknown[], member = ''): ValidationError {
  const params = { allowedValues: [...new Set(values)] }
  return { keyword: 'enum', instancePath: `${union.instancePath}${member}`, params }
}

interface Discriminator {
  readonly name: string
  readonly values: readonly unknown[]
  readonly isMatching: (branch: number) => boolean
}

function discriminatorsOf(
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

function constantsOf(schemas: readonly JsonObject[] = []): readonly unknown[] | null {
  const values = schemas.map((schema) => ('const' in schema ? [schema['const']] : schema['enum']))
  return values.length > 0 && values.every(Array.isArray) ? values.flat() : null
}

function valuesAllowedBy({ keyword, params }: ValidationError): readonly unknown[] | null {
  const { allowedValue, allowedValues } = params as { allowedValue?: unknown; allowedValues?: readonly unknown[] }
  if (keyword === 'const') return [allowedValue]
  return keyword === 'enum' ? (allowedValues ?? null) : null
}
