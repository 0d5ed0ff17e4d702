import { isJsonObject, type JsonObject } from './json.js'
import { mapSubschemas } from './subschemas.js'

/** A pattern that repeats a group. Other patterns cannot take exponential time. */
interface RepeatedGroup {
  readonly pattern: string
  /** Property names from the root of the schema to the pattern, joined by dots. Empty at the root of the schema. */
  readonly member: string
}

export function findRepeatedGroups(root: JsonObject): readonly RepeatedGroup[] {
  const found: RepeatedGroup[] = []
  const collect = (schema: JsonObject, member: string): void => {
    const { pattern, patternProperties } = schema
    const ofNames = isJsonObject(patternProperties) ? Object.keys(patternProperties) : []
    for (const each of [pattern, ...ofNames]) {
      if (typeof each === 'string' && repeatedGroup.test(each)) found.push({ pattern: each, member })
    }
    mapSubschemas(schema, (inner, path) => {
      const [, name] = namedPart.exec(path) ?? []
      collect(inner, name === undefined || member === '' ? (name ?? member) : `${member}.${name}`)
      return inner
    })
  }
  collect(root, '')
  return found
}

const repeatedGroup = /\)[*+{]/

const namedPart = /^(?:properties|\$defs|definitions)\/(.*)$/
