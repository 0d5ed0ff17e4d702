import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import type { ValidationError } from './describe-errors.js'
import { discriminatorsIn, discriminatorsOf, membersOfBranches, valuesAllowedBy } from './discriminators.js'
import { atPointer, toPointerKey } from './json-pointer.js'
import type { Members } from './members.js'

type Branch = readonly ValidationError[]

/**
 * Reduces the errors of each union to the errors of the branch that the value was meant for. Validators report the errors of all
 * branches, and a caller that corrects all of them at once cannot succeed.
 *
 * If several branches are possible, an error with the keyword `alternatives` replaces their errors.
 *
 * @param errors In the order of TypeBox and Ajv: a union's error follows the errors of its branches.
 */
export function explainUnions(schema: JsonObject, errors: Branch, value: unknown): Branch {
  const explained: ValidationError[] = []
  const known = new Map<string, readonly Members[]>()
  for (const error of errors) {
    const path = pathOfUnion(error)
    if (path === null) {
      explained.push(error)
      continue
    }
    const branches = takeBranches(explained, error, `${path}/`)
    const members = known.get(path) ?? membersOfBranches(schema, path)
    known.set(path, members)
    explained.push(...explainUnion(error, branches, members, value))
  }
  return explained
}

/** Returns the path of a union with its keyword; `null` for other errors. TypeBox's path ends before the keyword. */
function pathOfUnion({ keyword, schemaPath = '' }: ValidationError): string | null {
  if (keyword !== 'anyOf' && keyword !== 'oneOf') return null
  return schemaPath.endsWith(`/${keyword}`) ? schemaPath : `${schemaPath}/${keyword}`
}

/** Removes the errors of a union's branches from the end of the list. @returns Empty if the errors have no branches. */
function takeBranches(
  errors: ValidationError[],
  union: ValidationError,
  prefix: string,
): readonly (Branch | undefined)[] {
  // The items of a list have the same schema, so only their own paths tell them apart.
  const isOfUnion = (error: ValidationError | undefined): boolean =>
    error?.schemaPath?.startsWith(prefix) === true && `${error.instancePath}/`.startsWith(`${union.instancePath}/`)
  let start = errors.length
  while (start > 0 && isOfUnion(errors[start - 1])) start--
  const branches: ValidationError[][] = []
  for (const error of errors.slice(start)) {
    const index = Number.parseInt(error.schemaPath?.slice(prefix.length) ?? '', 10)
    const branch = branches[index]
    if (branch === undefined) branches[index] = [error]
    else branch.push(error)
  }
  // Without the first branch, Ajv has reported errors with paths from the target of a reference.
  if (branches[0] === undefined) return []
  errors.length = start
  return branches
}

function explainUnion(
  union: ValidationError,
  branches: readonly (Branch | undefined)[],
  members: readonly Members[],
  value: unknown,
): Branch {
  const { passingSchemas } = union.params as { readonly passingSchemas?: readonly number[] | null }
  const failed = [...branches.keys()].filter((index) => branches[index] !== undefined)
  if (failed.length === 0 || passingSchemas?.length) return [union]
  const branchOf = (index: number): Branch => branches[index] ?? []
  const isAtUnion = ({ instancePath }: ValidationError): boolean => instancePath === union.instancePath
  const ofType = failed.filter(
    (index) => !branchOf(index).some((error) => error.keyword === 'type' && isAtUnion(error)),
  )
  if (ofType.length === 0) return [{ ...union, keyword: 'type', params: { type: typesIn(failed.flatMap(branchOf)) } }]
  const own = ofType.flatMap(branchOf)
  const constants = own.map((error) => (isAtUnion(error) ? valuesAllowedBy(error) : null))
  if (constants.every((values) => values !== null)) return [mustBeOneOf(union, constants.flat())]

  const part = atPointer(value, union.instancePath)
  let chosen = ofType
  if (isJsonObject(part)) {
    const discriminators =
      members.length > 0
        ? discriminatorsOf(members, ofType, part)
        : discriminatorsIn(branches, ofType, union.instancePath)
    for (const { name, values, isMatching } of discriminators) {
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
  const { schemaPath, instancePath } = union
  const params = { allowedValues: [...new Set(values)] }
  return { keyword: 'enum', schemaPath, instancePath: `${instancePath}${member}`, params }
}
