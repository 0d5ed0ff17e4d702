import type { ContentAnnotations, ContentBlock } from '../content.js'
import type { Revision } from './revisions.js'

/**
 * Kinds of content that a revision does not know become a line of text that says what they were; of those that it knows, what
 * is younger is left out.
 */
export function downConvert(block: ContentBlock, revision: Revision): ContentBlock {
  if (block.type === 'audio' && !revision.audio) return { type: 'text', text: `[audio: ${block.mimeType}]` }
  if (block.type === 'resource_link' && !revision.resourceLinks) {
    return { type: 'text', text: `[resource: ${block.name}](${block.uri})` }
  }
  return revision.meta ? block : withoutMeta(block)
}

function withoutMeta({ _meta, ...block }: ContentBlock): ContentBlock {
  const known = block.annotations === undefined ? block : { ...block, annotations: withoutDate(block.annotations) }
  if (known.type !== 'resource') return known
  const { _meta: _own, ...resource } = known.resource
  return { ...known, resource }
}

/** Annotations as they were before they could say when something was changed. */
export function withoutDate({ lastModified: _date, ...annotations }: ContentAnnotations): ContentAnnotations {
  return annotations
}
