import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { call, modern } from '../program.mjs'
import { begin, callFrom, clients, list, openSilentStreams } from './clients.mjs'
import { behindProxy } from './nodes.mjs'

const mint = fileURLToPath(new URL('../../../samples/authorization/dist/mint.js', import.meta.url))
const messageBytes = 64 * 1024

/** Requests that must pass a proxy with one or several processes. */
export const throughProxy = {
  'official clients list and call': () =>
    behindProxy('deploy', {}, async ({ url }) => {
      for (const [name, open] of Object.entries(clients)) {
        const { client, call: callTool } = await open(url)
        const { tools } = await client.listTools()
        deepEqual(tools.map((tool) => tool.name).toSorted(), ['read_note', 'track_order', 'write_invoice'], name)
        const { content } = await callTool({ name: 'track_order', arguments: { order: '42' } })
        deepEqual(content, [{ type: 'text', text: 'Order 42 is on its way.' }], name)
        await client.close()
      }
    }),

  'progress arrives while the call runs': () =>
    behindProxy('everything', {}, async ({ url }) => {
      for (const [name, open] of Object.entries(clients)) {
        const { client, call: callTool } = await open(url)
        const seen = []
        const onprogress = ({ progress }) => seen.push({ progress, at: performance.now() })
        await callTool({ name: 'test_tool_with_progress', arguments: {} }, { onprogress })
        const metrics = seen.map(({ progress }) => progress)
        deepEqual(metrics, [0, 50, 100], name)
        // Sent 50 milliseconds apart: if nginx buffered them, they would arrive together.
        ok(seen[2].at - seen[0].at > 30, `${name}: all of it within ${seen[2].at - seen[0].at} ms`)
        await client.close()
      }
    }),

  'a call stops when its client disconnects': () =>
    behindProxy('everything', { count: 1 }, async ({ url }) => {
      const outcome = async () => JSON.parse((await call(url, modern('test_wait_outcome', { key: 'left' }))).text)
      const becomes = async (wanted) => {
        for (let waited = 0; waited < 5000; waited += 20) {
          const { result } = await outcome()
          if (result.content[0].text === wanted) return
          await setTimeout(20)
        }
        throw new Error(`the call was never ${wanted}`)
      }
      const { sent, response } = begin(url, modern('test_wait', { key: 'left', ms: 20_000 }))
      response.catch(() => undefined)
      await becomes('running')
      sent.destroy()
      await becomes('aborted')
    }),

  'hosts and origins that are not allowed are rejected': () =>
    behindProxy('deploy', { env: { ALLOWED_HOSTS: 'mcp.example.com' } }, async ({ url }) => {
      const host = 'mcp.example.com'
      const ask = async (headers) => (await call(url, { ...list, headers: { ...list.headers, ...headers } })).status
      equal(await ask({ host }), 200)
      equal(await ask({ host: 'mcp.example.com:8080' }), 200)
      equal(await ask({ host, origin: 'https://mcp.example.com' }), 200)
      equal(await ask({}), 403)
      equal(await ask({ 'x-forwarded-host': host }), 403)
      equal(await ask({ host, origin: 'https://elsewhere.example' }), 403)
    }),

  'a message has up to 64 KiB': () =>
    behindProxy('deploy', {}, async ({ url }) => {
      const sized = (bytes) => {
        const message = modern('track_order', { order: '1' })
        // White space before JSON is ignored.
        return { ...message, body: Buffer.from(JSON.stringify(message.body).padStart(bytes)) }
      }
      equal((await call(url, sized(messageBytes))).status, 200)
      equal((await call(url, sized(messageBytes + 1))).status, 413)
    }),

  'rate limits ignore the address that a client claims': () =>
    behindProxy('deploy', { count: 1, env: { CALLS_PER_MINUTE: '3' } }, async ({ url }) => {
      const statuses = []
      for (let claimed = 1; claimed <= 4; claimed++) {
        const headers = { ...list.headers, 'x-forwarded-for': `203.0.113.${claimed}` }
        const { status } = await callFrom('127.0.0.1', url, { ...list, headers })
        statuses.push(status)
      }
      deepEqual(statuses, [200, 200, 200, 429])
      equal((await callFrom('127.0.0.99', url, list)).status, 200)
    }),

  'clients discover the issuer, and use its tokens': () =>
    behindProxy('authorization', { env: { RESOURCE_URL: 'https://mcp.example.com/mcp' } }, async ({ url }) => {
      const message = modern('get_user_list')
      const unknown = await call(url, message)
      equal(unknown.status, 401)
      const [, found = ''] = /resource_metadata="([^"]+)"/.exec(unknown.headers['www-authenticate']) ?? []
      equal(found, 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp')
      const document = await (await fetch(new URL(new URL(found).pathname, url))).json()
      equal(document.resource, 'https://mcp.example.com/mcp')
      const token = execFileSync(process.execPath, [mint, '--roles', 'Admin'], { encoding: 'utf8' }).trim()
      const headers = { ...message.headers, authorization: `Bearer ${token}` }
      match((await call(url, { ...message, headers })).text, /"resultType":"complete"/)
    }),

  'probes are not forwarded': () =>
    behindProxy('deploy', {}, async ({ url, nodes, port }) => {
      equal((await fetch(new URL('/health/ready', url))).status, 404)
      equal((await fetch(`http://${nodes[0].address}:${port}/health/ready`)).status, 200)
    }),

  'streams end gracefully with their process, and calls finish': () =>
    behindProxy('deploy', { count: 1 }, async ({ url, nodes }) => {
      const streams = await openSilentStreams(url)
      const invoice = call(url, modern('write_invoice', { order: '1' }))
      await setTimeout(200)
      deepEqual(await nodes[0].stop(), { code: 0, signal: null })
      match((await invoice).text, /is written/)
      const [, listened] = await Promise.all(streams.map(({ whole }) => whole))
      match(listened, /"resultType":"complete"/)
      const areWhole = streams.map(({ response }) => response.complete)
      deepEqual(areWhole, [true, true])
    }),
}

/** Longer than nginx waits for the next byte, so that only comments can have kept the streams open. */
export function silentStreams(silentMs) {
  return behindProxy('deploy', { count: 1 }, async ({ url, nodes }) => {
    const streams = await openSilentStreams(url)
    await setTimeout(silentMs)
    await nodes[0].stop()
    const texts = await Promise.all(streams.map(({ whole }) => whole))
    const comments = texts.map((text) => text.split('\n').filter((line) => line.startsWith(':')).length)
    const areWhole = streams.map(({ response }) => response.complete)
    deepEqual(areWhole, [true, true])
    ok(Math.min(...comments) >= Math.floor(silentMs / 15_000) - 1, `comments: ${comments.join()}`)
  })
}
