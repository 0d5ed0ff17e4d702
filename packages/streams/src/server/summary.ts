import { StreamError, streamErrors } from '../wire/stream-error.js'

interface Response {
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  readonly result?: {
    readonly resultType?: string
    readonly content?: readonly { readonly type: string; readonly text?: string }[]
    readonly structuredContent?: unknown
    readonly isError?: boolean
  }
}

/**
 * Reads the summary of a stream from the result of its tool: the structured content, else the returned object or text,
 * else the content blocks.
 *
 * @param body JSON-RPC response.
 * @param returned Type of the value that the handler returned.
 * @throws StreamError if the call failed.
 */
export function readSummary(body: string, returned: string, tool: string): unknown {
  const { error, result = {} } = JSON.parse(body) as Response
  if (error !== undefined) throw failure(error, tool)
  const { content = [], structuredContent, isError, resultType = 'complete' } = result
  if (resultType !== 'complete') {
    throw new StreamError(
      'The tool asks its client for input, which a stream cannot answer',
      streamErrors.internalError,
    )
  }
  const texts = content.flatMap(({ type, text = '' }) => (type === 'text' ? [text] : []))
  if (isError === true) throw new StreamError(texts.join('\n'))
  if (structuredContent !== undefined) return structuredContent
  if (content.length === 0) return undefined
  const [only] = texts
  if (only === undefined || content.length > 1) return content
  return returned === 'string' ? only : (parse(only) ?? only)
}

function failure({ code, message, data }: NonNullable<Response['error']>, tool: string): StreamError {
  if (!message.startsWith('Unknown tool')) return new StreamError(message, code, data)
  return new StreamError(message, streamErrors.methodNotFound, { method: tool, ...(data as object) })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
