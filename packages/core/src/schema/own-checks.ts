import type { JsonObject } from '../rpc/messages.js'
import { isMultipleOf } from './multiples.js'
import { changeParts } from './subschemas.js'
import { type TSchema, Type } from './typebox.js'
import { areUnique } from './unique-items.js'

/**
 * The same TypeBox schema, but for what is checked here: `uniqueItems`, for which TypeBox hashes byte by byte, ten times as
 * long, and `multipleOf`, by which it refuses most numbers above 100,000 when they have decimals.
 */
export function withOwnChecks(schema: TSchema): TSchema {
  return changeParts(changeParts(schema as JsonObject, hasUniqueItems, refineUnique), hasDecimals, refineMultiples)
}

function hasUniqueItems({ uniqueItems }: JsonObject): boolean {
  return uniqueItems === true
}

function refineUnique(copy: Record<string, unknown>): JsonObject {
  delete copy['uniqueItems']
  const isFitting = (value: unknown): boolean => !Array.isArray(value) || areUnique(value)
  return Type.Refine(copy, isFitting, () => 'must not have duplicate items')
}

function hasDecimals({ multipleOf }: JsonObject): boolean {
  return typeof multipleOf === 'number' && !Number.isInteger(multipleOf)
}

function refineMultiples(copy: Record<string, unknown>): JsonObject {
  const divisor = copy['multipleOf'] as number
  delete copy['multipleOf']
  const isFitting = (value: unknown): boolean => typeof value !== 'number' || isMultipleOf(value, divisor)
  return Type.Refine(copy, isFitting, () => `must be multiple of ${divisor}`)
}
