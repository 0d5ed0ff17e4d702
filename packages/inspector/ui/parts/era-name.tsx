import { connections } from '../state/connection.js'
import type { EraName } from '../state/settings.js'

export const eraLabels: Readonly<Record<EraName, string>> = { modern: 'Modern', legacy: 'Legacy' }

/** The name of an era, with its revision. */
export function EraLabel({ era }: { readonly era: EraName }) {
  const revision = connections[era].revision.value
  return (
    <span class={`era era-${era}`}>
      {eraLabels[era]}
      {revision === '' ? null : <span class="revision">{revision}</span>}
    </span>
  )
}
