import type { DependencyContainer } from 'toolwright'

type Registrations = Map<unknown, unknown[]>

/** Returns the registrations of a tsyringe container, by token; `null` if the internals of tsyringe have changed. */
function registrationsOf(container: DependencyContainer): Registrations | null {
  const { _registry: registry } = container as { readonly _registry?: Readonly<Record<string, unknown>> }
  const all = registry?.['_registryMap']
  return all instanceof Map ? all : null
}

export function countRegistrations(container: DependencyContainer): ReadonlyMap<unknown, number> {
  const all = registrationsOf(container) ?? new Map<unknown, unknown[]>()
  return new Map([...all].map(([token, registrations]) => [token, registrations.length]))
}

/**
 * Drops the registrations of tokens that a reloaded program has registered again. Otherwise, `@injectAll` would find
 * the registrations of all versions of the program, because the global container outlives the program.
 *
 * @param before Counts from before the program was loaded.
 */
export function dropReplaced(container: DependencyContainer, before: ReadonlyMap<unknown, number>): void {
  for (const [token, registrations] of registrationsOf(container) ?? []) {
    const old = before.get(token) ?? 0
    if (registrations.length > old) registrations.splice(0, old)
  }
}
