import { createHash } from 'node:crypto'
import type { Catalog } from '../../catalog/catalog.js'
import type { Viewer } from '../../context/viewer.js'
import type { JsonObject } from '../../rpc/messages.js'
import { encodePrompt, encodeResource, encodeResourceTemplate, encodeTool } from '../encode-definitions.js'
import { latest, type Revision } from '../revisions.js'
import type { SessionRecord } from './sessions/session-store.js'

export type ListDigests = NonNullable<SessionRecord['lists']>

/** Digests by list: a registry returns the same array to a caller until it changes. */
const known = new WeakMap<readonly unknown[], string>()

/** Returns digests of the lists that a caller sees. Equal on all nodes with the same features. */
export function digestLists({ tools, prompts, resources, resourceTemplates }: Catalog, viewer: Viewer): ListDigests {
  const listed = digest(resources.visibleTo(viewer), encodeResource)
  const templates = digest(resourceTemplates.visibleTo(viewer), encodeResourceTemplate)
  return {
    tools: digest(tools.visibleTo(viewer), encodeTool),
    prompts: digest(prompts.visibleTo(viewer), encodePrompt),
    resources: `${listed}.${templates}`,
  }
}

function digest<Definition>(
  visible: readonly Definition[],
  encode: (definition: Definition, revision: Revision) => JsonObject,
): string {
  const before = known.get(visible)
  if (before !== undefined) return before
  const text = JSON.stringify(visible.map((definition) => encode(definition, latest)))
  const made = createHash('sha256').update(text).digest('base64url').slice(0, 16)
  known.set(visible, made)
  return made
}
