import { text } from '../content.js'
import type { ToolResult } from '../plan/tool-result.js'
import { downConvert } from './down-convert.js'
import type { Revision } from './revisions.js'

/**
 * The members of a tool result as JSON text, without the braces, as far as the revision knows them.
 *
 * @param isComplete Whether `content` is never empty, and `isError` never left out.
 */
export function encodeToolResult(
  result: ToolResult,
  revision: Revision,
  alwaysStructured: boolean,
  isComplete = alwaysStructured,
): string {
  const content = encodeContent(isComplete && result.content?.length === 0 ? withText(result) : result, revision)
  const structured =
    structuredFor(result, revision) ?? (alwaysStructured && revision.structuredContent !== 'none' ? '{}' : null)
  const isError = result.isError || isComplete ? `,"isError":${result.isError}` : ''
  return structured === null
    ? `"content":${content}${isError}`
    : `"content":${content},"structuredContent":${structured}${isError}`
}

function withText(result: ToolResult): ToolResult {
  return { ...result, content: [text('')] }
}

function encodeContent({ content, structured }: ToolResult, revision: Revision): string {
  if (content !== null) return JSON.stringify(content.map((block) => downConvert(block, revision)))
  // Serialised before: only the quotes of a JSON string are added here.
  return `[{"type":"text","text":${JSON.stringify(structured)}}]`
}

const openBrace = 0x7b

function structuredFor({ structured }: ToolResult, { structuredContent }: Revision): string | null {
  if (structured === null || structuredContent === 'none') return null
  return structuredContent === 'any' || structured.charCodeAt(0) === openBrace ? structured : null
}
