import { isJsonObject, type JsonObject } from '@toolwright/core'

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}
