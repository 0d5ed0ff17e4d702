import type { Catalog, CatalogReport } from '@toolwright/core'
import { findOverlaps } from './resource-overlaps.js'
import { findSlowSchemas } from './slow-schemas.js'
import { findUndescribedTools } from './warn.js'

interface Findings extends Pick<CatalogReport, 'overlaps' | 'slowSchemas' | 'undescribed'> {
  readonly uncheckedPatterns: number
}

/** Finds probable mistakes in a catalog. Takes up to seconds, so it runs only for reports to developers. */
export function findAll(catalog: Catalog): Findings {
  const { warnings, exceptions } = findOverlaps(catalog)
  const { errors: slowSchemas, uncheckedPatterns } = findSlowSchemas(catalog)
  return {
    overlaps: [...warnings, ...exceptions],
    slowSchemas,
    undescribed: findUndescribedTools(catalog),
    uncheckedPatterns,
  }
}
