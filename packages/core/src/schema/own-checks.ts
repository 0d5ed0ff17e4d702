import type { JsonObject } from '../rpc/messages.js'
import { isMultipleOf } from './multiples.js'
import { changeParts } from './subschemas.js'
import { type TSchema, Type } from './typebox.js'
import { areUnique } from './unique-items.js'

/**
 * Replaces two of TypeBox's checks: `uniqueItems`, which is ten times slower because TypeBox hashes byte by byte, and
 * `multipleOf`, which rejects most decimal numbers above 100,000.
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
  return Type.Refine(copy, isFitting, () => `must be a multiple of ${divisor}`)
}
