import { isJsonObject, type JsonObject } from '../../rpc/messages.js'
import type { CompiledSchema } from '../../schema/compiled-schema.js'
import { collectMembers } from '../../schema/members.js'
import type { ReportError } from './schema-option.js'

const scalars: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'null']

/**
 * Reports arguments that no client can send. Clients send arguments of prompts and variables of URIs as strings, which
 * are converted to numbers, booleans, null and lists of one value, but not to objects.
 *
 * @param what `Arguments of a prompt`
 */
export function checkTextArguments(what: string, { wire }: CompiledSchema, report: ReportError): void {
  for (const [name, schemas] of collectMembers(wire).properties) {
    if (schemas.some(takesText)) continue
    report(
      'bad-schema',
      'input',
      `has '${name}', which no client can send. ${what} are sent as text, which is converted to numbers, booleans and lists of ` +
        'one value, but not to objects. Give each part a name of its own, or take a string and parse it',
    )
  }
}

/** Whether a string can be converted to a value of the schema. True if that is not known, as for a reference. */
function takesText(schema: unknown): boolean {
  if (!isJsonObject(schema)) return schema !== false
  const { type, anyOf, oneOf, allOf } = schema
  const isOfText = type === undefined || [type].flat().some((one) => isMadeOfText(one, schema))
  return isOfText && hasOne(anyOf) && hasOne(oneOf) && (!Array.isArray(allOf) || allOf.every(takesText))
}

function hasOne(alternatives: unknown): boolean {
  return !Array.isArray(alternatives) || alternatives.some(takesText)
}

function isMadeOfText(type: unknown, { items, prefixItems, minItems = 0 }: JsonObject): boolean {
  if (type !== 'array') return scalars.includes(type)
  return prefixItems === undefined && takesText(items) && (minItems as number) <= 1
}
