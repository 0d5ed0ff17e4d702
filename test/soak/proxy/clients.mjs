import { request } from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { legacy, modern, readAll, send } from '../program.mjs'

/** The official clients over every transport and era. `call` gets progress. */
export const clients = {
  'version 1': async (url) => {
    const client = await connect(new OlderClient({ name: 'older', version: '1.0.0' }), new OlderTransport(url))
    return { client, call: (tool, options) => client.callTool(tool, undefined, options) }
  },
  'version 2, legacy': (url) => openNewer(url, 'legacy'),
  'version 2, modern': (url) => openNewer(url, { pin: '2026-07-28' }),
}

async function openNewer(url, mode) {
  const newer = new Client({ name: 'newer', version: '1.0.0' }, { versionNegotiation: { mode } })
  const client = await connect(newer, new StreamableHTTPClientTransport(url))
  return { client, call: (tool, options) => client.callTool(tool, options) }
}

async function connect(client, transport) {
  await client.connect(transport)
  return client
}

export const list = modern(undefined, {}, 'tools/list')

/** One exchange of a client with a separate address. */
export async function callFrom(localAddress, url, message) {
  const { response } = begin(url, message, { localAddress })
  const { statusCode: status, headers } = await response
  return { status, headers, text: await readAll(await response) }
}

/** A request that its client can abort: `sent.destroy()`. */
export function begin(url, { body, headers }, options = {}) {
  const accept = 'application/json, text/event-stream'
  const sent = request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    ...options,
  })
  const response = new Promise((resolve, reject) => {
    sent.once('response', resolve)
    sent.once('error', reject)
  })
  sent.end(JSON.stringify(body))
  return { sent, response }
}

/** Headers of a new session. */
export async function openSessionFrom(localAddress, url) {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'soak', version: '1' } }
  const { headers } = await callFrom(localAddress, url, legacy('initialize', params))
  const session = { 'mcp-session-id': headers['mcp-session-id'] }
  await callFrom(localAddress, url, legacy('notifications/initialized', {}, session, null))
  return session
}

/** The stream of a session, and a subscription: neither gets a message. */
export async function openSilentStreams(url) {
  const session = await openSessionFrom('127.0.0.1', url)
  const get = { headers: { 'mcp-protocol-version': '2025-11-25', ...session } }
  const listen = modern(undefined, { notifications: { toolsListChanged: true } }, 'subscriptions/listen')
  const responses = await Promise.all([send(url, get, { method: 'GET' }), send(url, listen)])
  // Reads the stream from now on: later messages arrive separately.
  return responses.map((response) => ({ response, whole: readAll(response) }))
}
