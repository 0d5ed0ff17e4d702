import type { Client, JSONRPCMessage, Progress, StandardSchemaV1 } from '@modelcontextprotocol/client'
import type { OfficialOptions } from '../connection.js'
import { ClientError } from '../errors.js'
import type { RequestOptions } from '../options.js'

/** The result of a request, as the server sent it. */
export type RawResult = Readonly<Record<string, unknown>>

/** Options of {@link McpClient.request}. */
export interface RawRequestOptions extends RequestOptions {
  /** Called with each report of progress. */
  readonly onProgress?: (progress: Progress) => void
  /** HTTP headers to add to this request. Other transports ignore the headers. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Marks a request whose result the official client must not read. The mark is a symbol, so it is not sent. */
const receiverKey = Symbol('receiver')

/** Receives the result of one request before the official client does. */
export interface Receiver {
  result: unknown
  /** Called when the request has ended, even without a response. */
  release: () => void
  /** The result that the official client gets instead. */
  readonly replacement: object
}

interface MarkedMessage {
  readonly [receiverKey]?: Receiver
}

export function receiverOf(message: JSONRPCMessage): Receiver | null {
  return (message as MarkedMessage)[receiverKey] ?? null
}

export function receive(message: JSONRPCMessage, receiver: Receiver): JSONRPCMessage {
  if (!('result' in message)) return message
  receiver.result = message.result
  return { ...message, result: receiver.replacement } as JSONRPCMessage
}

/** Accepts every value, because the replacement of a result has no content. */
const anything: StandardSchemaV1<unknown> = {
  '~standard': { version: 1, vendor: 'toolwright', validate: (value) => ({ value }) },
}

/** Sends a request, and returns the result unchanged. @throws ClientError for a result that is not an object. */
export async function sendRaw(
  official: Client,
  what: string,
  { method, params }: { readonly method: string; readonly params: RawResult },
  { headers, onProgress, ...limits }: OfficialOptions & Pick<RawRequestOptions, 'headers' | 'onProgress'>,
): Promise<RawResult> {
  // Without content, the official client has nothing to validate: a result of a modern server needs a type.
  const replacement = official.getProtocolEra() === 'modern' ? { resultType: 'input_required', requestState: '' } : {}
  const receiver: Receiver = { result: undefined, release: () => undefined, replacement }
  const listening = onProgress === undefined ? {} : { onprogress: onProgress, resetTimeoutOnProgress: true }
  const added = headers === undefined ? {} : { headers: { ...headers } }
  const request = { method, params: { ...params }, [receiverKey]: receiver }
  try {
    await official.request(request, anything, { ...limits, ...listening, ...added, allowInputRequired: true })
  } finally {
    receiver.release()
  }
  const { result } = receiver
  if (typeof result === 'object' && result !== null && !Array.isArray(result)) return result as RawResult
  throw new ClientError(`${what} failed: the result of the server is not an object.`, 'bad-result')
}
