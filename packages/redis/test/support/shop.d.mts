import type { Catalog } from '@toolwright/core'

export function addShop(catalog: Catalog, report: (effect: string) => void, isSlow?: boolean): void
