import { isJsonObject } from '@toolwright/core'
import type { OpenApiOperation } from './operation.js'

/** Selects operations. An operation has to match each member that is given. */
export interface OperationSelector {
  /** The operation has one of these tags. */
  readonly tags?: readonly string[]
  /** The operation has one of these methods: `GET`. */
  readonly methods?: readonly string[]
  /** The operation has one of these `operationId`s, or is named by method and path: `GET /orders`. */
  readonly operations?: readonly string[]
  /** Whether the operation is deprecated. */
  readonly deprecated?: boolean
}

export const selectorNames = ['tags', 'methods', 'operations', 'deprecated']

/** Selects the operations that become tools. */
export type OperationFilter = OperationSelector | ((operation: OpenApiOperation) => boolean)

export function selects(selector: OperationSelector, operation: OpenApiOperation): boolean {
  const { tags, methods, operations, deprecated } = selector
  if (tags !== undefined && !tags.some((tag) => operation.tags.includes(tag))) return false
  if (methods !== undefined && !methods.some((method) => method.toUpperCase() === operation.method)) return false
  if (operations !== undefined && !operations.some((name) => isNamed(operation, name))) return false
  return deprecated === undefined || deprecated === operation.deprecated
}

export function includes(filter: OperationFilter | undefined, operation: OpenApiOperation): boolean {
  if (filter === undefined) return true
  return typeof filter === 'function' ? filter(operation) : selects(filter, operation)
}

export function isNamed({ id, method, path }: OpenApiOperation, name: string): boolean {
  return name === id || name === `${method} ${path}`
}

export function unknownNames(selector: OperationSelector, operations: readonly OpenApiOperation[]): string[] {
  const { tags = [], methods = [], operations: named = [] } = selector
  return [
    ...tags.filter((tag) => !operations.some((operation) => operation.tags.includes(tag))).map((tag) => `tag '${tag}'`),
    ...methods
      .filter((method) => !operations.some((operation) => operation.method === method.toUpperCase()))
      .map((method) => `method '${method}'`),
    ...named
      .filter((name) => !operations.some((operation) => isNamed(operation, name)))
      .map((name) => `operation '${name}'`),
  ]
}

export function isSelector(given: unknown): boolean {
  if (!isJsonObject(given)) return false
  const { tags = [], methods = [], operations = [], deprecated = false } = given
  return [tags, methods, operations].every(isTexts) && typeof deprecated === 'boolean'
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}
