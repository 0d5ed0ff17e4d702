import { headersOf, metaKeys, modernMessage } from '../../../../test/support/client/messages.js'

const _meta = {
  [metaKeys.capabilities]: { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
}

export interface PortClient {
  /** Sends a request of 2026-07-28. @returns The result or the error; rejects if the connection breaks. */
  // oxlint-disable-next-line typescript/no-explicit-any
  request(method: string, params: object): Promise<any>
}

/** A client of the node at a port of 127.0.0.1, which supports forms and tasks. */
export function connectToPort(port: number): PortClient {
  return {
    async request(method, params) {
      const message = modernMessage(method, { ...params, _meta })
      const named: Record<string, string> = 'taskId' in params ? { 'mcp-name': String(params.taskId) } : {}
      const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headersOf(message),
          ...named,
        },
        body: JSON.stringify(message),
      })
      const text = await response.text()
      const json = text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? '{}')
      const { result, error } = JSON.parse(json)
      return result ?? { error }
    },
  }
}
