import type { JsonObject } from '../rpc/messages.js'
import { SchemaError } from './schema-problem.js'
import { allSchemas } from './subschemas.js'

/**
 * Refuses what JSON would drop or change: a number as `NaN`, which TypeBox takes for a bound, would keep every client from the
 * whole list.
 *
 * @throws SchemaError
 */
export function checkIsJson(schema: JsonObject): void {
  JSON.stringify(schema, refuseNumbers)
  for (const part of allSchemas(schema)) JSON.stringify(part['default'], refuseInDefault)
}

function refuseNumbers(key: string, value: unknown): unknown {
  if (typeof value === 'bigint') {
    throw new SchemaError(`has the bigint ${value}n as ${key}, which JSON does not have. Write the number ${value}`)
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new SchemaError(`has ${value} as ${key}, which JSON does not have. Write another number, or leave it out`)
  }
  return value
}

function refuseInDefault(_key: string, value: unknown): unknown {
  if (typeof value !== 'function' && typeof value !== 'symbol') return value
  throw new SchemaError(`has a default with a ${typeof value}, which JSON does not have. Write the value itself`)
}
