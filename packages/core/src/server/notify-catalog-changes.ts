import type { Catalog } from '../catalog/catalog.js'
import type { CatalogEntry } from '../catalog/definitions.js'
import type { FeatureRegistry } from '../catalog/feature-registry.js'
import type { Changes } from '../context/changes.js'
import type { EnabledSharing } from './enabled-sharing.js'

export function notifyCatalogChanges(catalog: Catalog, changes: Changes, enabledSharing: EnabledSharing): void {
  const notify = <Definition extends CatalogEntry>(
    kind: 'tools' | 'prompts' | 'resources',
    registry: FeatureRegistry<Definition>,
  ): void =>
    registry.onChange((change) => {
      const { definition } = change
      const isDecided = change.kind === 'enabled' || change.kind === 'disabled'
      // No list contains a disabled feature, so no list changes when it is added or removed.
      if (!isDecided && !registry.isEnabled(definition)) return
      const notified = isDecided ? enabledSharing.notified : 'all'
      if (notified === 'none') return
      const node = notified === 'own' ? catalog.node : undefined
      changes.listChanged(kind, definition.rule?.audience ?? null, definition.transports, node)
    })
  notify('tools', catalog.tools)
  notify('prompts', catalog.prompts)
  notify('resources', catalog.resources)
  notify('resources', catalog.resourceTemplates)
}
