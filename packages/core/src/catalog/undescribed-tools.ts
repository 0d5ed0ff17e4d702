import type { Catalog } from './catalog.js'

/** Finds the names of tools whose description is missing or blank. */
export function findUndescribedTools({ tools }: Catalog): readonly string[] {
  return tools.all.filter(({ description = '' }) => description.trim() === '').map(({ name }) => name)
}
