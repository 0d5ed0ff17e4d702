import type { ContentBlock } from '../content.js'
import type { Revision } from './revisions.js'

/** Kinds of content that a revision does not know become a line of text that says what they were. */
export function downConvert(block: ContentBlock, revision: Revision): ContentBlock {
  if (block.type === 'audio' && !revision.audio) return { type: 'text', text: `[audio: ${block.mimeType}]` }
  if (block.type === 'resource_link' && !revision.resourceLinks) {
    return { type: 'text', text: `[resource: ${block.name}](${block.uri})` }
  }
  return block
}
