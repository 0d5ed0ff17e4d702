import type { Problems } from '../../errors/problems.js'
import type { Catalog } from '../catalog.js'

/** Refuses to hand one caller what is another's. */
export function checkExposure(catalog: Catalog, cacheScope: unknown, problems: Problems): void {
  if (cacheScope !== 'public' || !catalog.isGuarded) return
  problems.add(
    'shared-private-lists',
    "cache.cacheScope is 'public', but callers see different lists here: a shared cache would hand what one may use to " +
      'another. Leave it out, or put @AllowAnonymous() on everything that is served.',
  )
}
