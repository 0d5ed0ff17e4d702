import { type ContentAnnotations, type ContentBlock, text } from '../../content.js'
import type { ToolResult } from '../../plan/tool-result.js'
import type { Revision } from '../revisions.js'

/**
 * Encodes the members of a tool result that the revision supports, as JSON without the braces.
 *
 * @param isComplete Whether to add an empty text to empty `content`, and to write `isError` even if it is `false`.
 */
export function encodeToolResult(
  result: ToolResult,
  revision: Revision,
  alwaysStructured: boolean,
  isComplete = alwaysStructured,
): string {
  const content = encodeContent(isComplete && result.content?.length === 0 ? withText(result) : result, revision)
  const structured =
    (result.structured === null ? null : structuredFor(result.structured, revision)) ??
    (alwaysStructured && revision.structuredContent !== 'none' ? '{}' : null)
  const isError = result.isError || isComplete ? `,"isError":${result.isError}` : ''
  return structured === null
    ? `"content":${content}${isError}`
    : `"content":${content},"structuredContent":${structured}${isError}`
}

function withText(result: ToolResult): ToolResult {
  return { ...result, content: [text('')] }
}

function encodeContent({ content, structured }: ToolResult, revision: Revision): string {
  if (content !== null) {
    const hasAllBlocks = revision.audio && revision.resourceLinks && revision.meta
    return JSON.stringify(hasAllBlocks ? content : content.map((block) => downConvert(block, revision)))
  }
  // `structured` is a string of JSON: `stringify` quotes and escapes the string.
  return `[{"type":"text","text":${JSON.stringify(structured)}}]`
}

const openBrace = 0x7b

function structuredFor(structured: string, { structuredContent }: Revision): string | null {
  if (structuredContent === 'none') return null
  return structuredContent === 'any' || structured.charCodeAt(0) === openBrace ? structured : null
}

/**
 * Encodes a content block for a revision. A block with a type that the revision does not have becomes a line of text. Members of
 * later revisions are dropped.
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

/** Removes `lastModified`, which older revisions do not have. */
export function withoutDate({ lastModified: _date, ...annotations }: ContentAnnotations): ContentAnnotations {
  return annotations
}
