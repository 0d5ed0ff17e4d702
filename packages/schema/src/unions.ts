import type { JsonObject } from './json.js'

export type UnionKeyword = 'anyOf' | 'oneOf'

interface Union {
  readonly keyword: UnionKeyword
  readonly branches: readonly unknown[]
}

export function unionsOf(part: JsonObject): readonly Union[] {
  return (['anyOf', 'oneOf'] as const).flatMap((keyword) => {
    const branches = part[keyword]
    return Array.isArray(branches) ? [{ keyword, branches }] : []
  })
}
