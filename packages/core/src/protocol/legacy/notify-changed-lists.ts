import { createHash } from 'node:crypto'
import type { Catalog } from '../../catalog/catalog.js'
import type { Recipient } from '../../context/viewer.js'
import type { JsonObject } from '../../rpc/messages.js'
import { encodePrompt, encodeResource, encodeResourceTemplate, encodeTool } from '../encode/encode-definitions.js'
import { changeNotification } from '../notifications/visible-changes.js'
import { latest, type Revision } from '../revisions.js'
import type { Session } from './session.js'
import type { StoredSession } from './stored-session.js'

const kinds = ['tools', 'prompts', 'resources'] as const

type ListKind = (typeof kinds)[number]

/** Digests by list. A registry returns the same array to a caller until the registry changes. */
const digests = new WeakMap<readonly unknown[], string>()

export function digestLists(
  { tools, prompts, resources, resourceTemplates }: Catalog,
  recipient: Recipient,
): Record<ListKind, string> {
  const listed = digest(resources.possiblyVisibleTo(recipient), encodeResource)
  const templates = digest(resourceTemplates.possiblyVisibleTo(recipient), encodeResourceTemplate)
  return {
    tools: digest(tools.possiblyVisibleTo(recipient), encodeTool),
    prompts: digest(prompts.possiblyVisibleTo(recipient), encodePrompt),
    resources: `${listed}.${templates}`,
  }
}

function digest<Definition>(
  visible: readonly Definition[],
  encode: (definition: Definition, revision: Revision) => JsonObject,
): string {
  const known = digests.get(visible)
  if (known !== undefined) return known
  const text = JSON.stringify(visible.map((definition) => encode(definition, latest)))
  const created = createHash('sha256').update(text).digest('base64url').slice(0, 16)
  digests.set(visible, created)
  return created
}

/**
 * Notifies a client of changed lists, if another node with different lists served the session before. Called only for the first
 * request of the session at this node. Otherwise, during a rolling deployment, a client would be notified each time its requests
 * reach a different node.
 */
export async function notifyChangedLists(session: Session, catalog: Catalog): Promise<void> {
  const lists = digestLists(catalog, session)
  if (findChanged(session.record, lists).length === 0) return
  let changed: readonly ListKind[] = []
  await session.update((record) => {
    // A client that is not initialized has listed nothing yet. If the record has no digests, the lists that the client saw are
    // unknown.
    const isKnown = record.isInitialized && record.lists !== undefined
    changed = isKnown ? findChanged(record, lists) : []
    return changed.length > 0 || record.lists === undefined ? { ...record, lists } : record
  })
  for (const kind of changed) session.channel.send(changeNotification({ kind }))
}

export async function rememberLists(session: Session, catalog: Catalog): Promise<void> {
  const lists = digestLists(catalog, session)
  if (findChanged(session.record, lists).length > 0) await session.update((record) => ({ ...record, lists }))
}

function findChanged(record: StoredSession, lists: Record<ListKind, string>): readonly ListKind[] {
  return kinds.filter((kind) => record.lists?.[kind] !== lists[kind])
}
