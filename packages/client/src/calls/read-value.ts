import type { CallToolResult } from '@modelcontextprotocol/client'
import { type ResultKind, resultKindKey } from '@toolwright/core/wire'
import { ClientError } from '../errors.js'

/**
 * Returns the value that the method of the tool returned. Toolwright servers declare whether the text is JSON. For other
 * servers, the value is the structured content, or else the text.
 */
export function readValue(result: CallToolResult): unknown {
  const { content, structuredContent: structured, _meta } = result
  switch (_meta?.[resultKindKey] as ResultKind | undefined) {
    case 'json':
      // Ignores an empty object: a server may add it to results without structured content.
      return structured !== undefined && !isEmpty(structured) ? structured : parse(readText(result))
    case 'text':
      return readText(result)
    case 'none':
      return undefined
    case 'content':
      return structured !== undefined && !isEmpty(structured) ? structured : content
    default:
      return structured ?? readContent(result)
  }
}

function readContent(result: CallToolResult): unknown {
  if (result.content.length === 0) return undefined
  return result.content.every(({ type }) => type === 'text') ? readText(result) : result.content
}

function readText({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ClientError('The server announced JSON, but the text of the result is not JSON.', 'bad-result', text, {
      cause: error,
    })
  }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
}
