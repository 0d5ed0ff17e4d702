import type { JsonObject } from '../rpc/messages.js'
import { SchemaError } from './compiled-schema.js'
import { allSchemas } from './subschemas.js'

/**
 * Rejects values that JSON would drop or change. TypeBox accepts a limit of `NaN`, for example, and clients would then
 * reject the whole list.
 *
 * @throws SchemaError
 */
export function checkIsJson(schema: JsonObject): void {
  JSON.stringify(schema, rejectNumbers)
  for (const part of allSchemas(schema)) JSON.stringify(part['default'], rejectInDefault)
}

function rejectNumbers(key: string, value: unknown): unknown {
  if (typeof value === 'bigint') {
    throw new SchemaError(`has the bigint ${value}n as ${key}, which JSON does not have. Write the number ${value}`)
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new SchemaError(`has ${value} as ${key}, which JSON does not have. Write another number, or leave it out`)
  }
  return value
}

function rejectInDefault(_key: string, value: unknown): unknown {
  if (typeof value !== 'function' && typeof value !== 'symbol') return value
  throw new SchemaError(`has a default with a ${typeof value}, which JSON does not have. Write the value itself`)
}
