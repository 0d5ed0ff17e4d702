import type { Catalog } from '../../catalog/catalog.js'
import { changeNotification } from '../visible-changes.js'
import { digestLists } from './list-digests.js'
import type { Session } from './sessions/session.js'
import type { SessionRecord } from './sessions/session-store.js'

const kinds = ['tools', 'prompts', 'resources'] as const

type ListKind = (typeof kinds)[number]

/**
 * Notifies a client of the lists that have changed since another node, or an earlier process, served its session.
 * Called only for the first request at this node: in a rolling deployment, clients would otherwise be notified at each
 * change of nodes.
 */
export async function notifyChangedLists(session: Session, catalog: Catalog): Promise<void> {
  const lists = digestLists(catalog, session)
  const changedIn = (record: SessionRecord): readonly ListKind[] =>
    kinds.filter((kind) => record.lists?.[kind] !== lists[kind])
  if (changedIn(session.record).length === 0) return
  let changed: readonly ListKind[] = []
  await session.update((record) => {
    // A client that is not initialized has listed nothing yet. Without digests, the lists that it saw are unknown.
    const isKnown = record.isInitialized && record.lists !== undefined
    changed = isKnown ? changedIn(record) : []
    return changed.length > 0 || record.lists === undefined ? { ...record, lists } : record
  })
  for (const kind of changed) session.channel.send(changeNotification({ kind }))
}
