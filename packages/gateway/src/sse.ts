import type { RpcEndpoint } from '@toolwright/fastify'

/**
 * Creates the endpoint `POST /sse`: plain JSON-RPC, answered as server-sent events. Each response is an event, and the
 * event `done` is the last. Event ids count all events that the server has sent.
 */
export function createSse(): RpcEndpoint {
  let lastId = 0
  const frame = (event: string, data: string): string => `id: ${++lastId}\nevent: ${event}\ndata: ${data}\n\n`
  return {
    path: '/sse',
    contentType: 'text/event-stream; charset=utf-8',
    encode: (json) => {
      const events = responsesIn(json).map((response) => frame(isMalformed(response) ? 'error' : 'message', response))
      return `${events.join('')}${frame('done', '{}')}`
    },
  }
}

/** Returns the responses as JSON without line breaks: one response, or the responses of a batch. */
function responsesIn(json: string | null): readonly string[] {
  if (json === null) return []
  if (!json.startsWith('[')) return [json]
  return (JSON.parse(json) as unknown[]).map((response) => JSON.stringify(response))
}

/** Whether the response has no id, because the request could not be read. */
function isMalformed(response: string): boolean {
  return response.startsWith('{"jsonrpc":"2.0","error":')
}
