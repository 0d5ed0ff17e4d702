import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { legacy, modern } from '../program.mjs'
import { callFrom, list, openSessionFrom } from './clients.mjs'
import { behindProxy } from './nodes.mjs'

/** nginx resolves a name once a second here. */
const heardMs = 2500

export const amongProcesses = {
  'a session stays with the process that opened it': () =>
    behindProxy('deploy', {}, async ({ url, nodes, port }) => {
      const homes = new Set()
      for (let client = 10; client < 26; client++) {
        const address = `127.0.0.${client}`
        const inSession = legacy('tools/list', {}, await openSessionFrom(address, url))
        for (let turn = 0; turn < 4; turn++) equal((await callFrom(address, url, inSession)).status, 200)
        for (const node of nodes) {
          const directly = { ...inSession, headers: { ...inSession.headers, host: 'localhost' } }
          const { status } = await callFrom(address, `http://${node.address}:${port}/mcp`, directly)
          if (status === 200) homes.add(node.address)
        }
      }
      equal(homes.size, nodes.length)
    }),

  'another process serves the requests that a full process rejects, and no session is lost': () =>
    behindProxy('deploy', { env: { MAX_IN_FLIGHT: '1' } }, async ({ url }) => {
      const ask = (message) => callFrom('127.0.0.1', url, message)
      const inSession = legacy('tools/list', {}, await openSessionFrom('127.0.0.1', url))
      const invoice = modern('write_invoice', { order: '1' })
      const first = ask(invoice)
      await setTimeout(200)
      const rejected = await ask(inSession)
      equal(rejected.status, 503)
      ok(Number(rejected.headers['retry-after']) > 0)
      match(rejected.text, /"jsonrpc":"2.0"/)
      equal((await ask(list)).status, 200)
      const second = ask(invoice)
      await setTimeout(200)
      // All of them are full, but still running.
      equal((await ask(list)).status, 503)
      deepEqual([(await first).status, (await second).status], [200, 200])
      equal((await ask(inSession)).status, 200)
    }),

  'every process is replaced, and no call is lost': () =>
    behindProxy('everything', {}, async (service) => {
      let [old, other] = service.nodes
      const load = startLoad(service.url, 20)
      for (let replaced = 0; replaced < 2; replaced++) {
        const fresh = await service.start()
        service.announce([other, fresh])
        await setTimeout(heardMs)
        deepEqual(await old.stop(), { code: 0, signal: null })
        ;[old, other] = [other, fresh]
      }
      const { good, bad } = await load.stop()
      ok(good > 500, `${good} good answers`)
      deepEqual(bad, [])
    }),

  'a process that stops without notice loses only new connections': () =>
    behindProxy('everything', {}, async ({ url, nodes }) => {
      const load = startLoad(url, 20)
      await setTimeout(500)
      deepEqual(await nodes[0].stop(), { code: 0, signal: null })
      // Its address is still announced: each client of that node is rejected, and tries the other.
      await setTimeout(heardMs)
      const { good, bad } = await load.stop()
      ok(good > 300, `${good} good answers`)
      ok(bad.length <= 10, `${bad.length} bad answers`)
      ok(bad.every((answer) => answer.startsWith('502')))
    }),

  'a call is not repeated when its process dies': () =>
    behindProxy('everything', {}, async ({ url, nodes, port }) => {
      const dying = callFrom('127.0.0.1', url, modern('test_wait', { key: 'once', ms: 1000 }))
      await setTimeout(300)
      const outcomes = () =>
        Promise.all(
          nodes.map(async ({ address, child }) => {
            if (child.signalCode !== null) return 'dead'
            const message = modern('test_wait_outcome', { key: 'once' })
            const headers = { ...message.headers, host: 'localhost' }
            const { text } = await callFrom('127.0.0.1', `http://${address}:${port}/mcp`, { ...message, headers })
            return JSON.parse(text).result.content[0].text
          }),
        )
      const before = await outcomes()
      const home = nodes[before.indexOf('running')]
      home.child.kill('SIGKILL')
      await home.ended
      equal((await dying).status, 502)
      deepEqual(new Set(await outcomes()), new Set(['dead', 'unknown']))
    }),
}

/** Sequential calls of clients of both eras, each from its own address. */
function startLoad(url, count) {
  const load = { isOver: false, good: 0, bad: [] }
  const workers = Array.from({ length: count }, async (_, index) => {
    const args = { key: String(index), ms: 100 }
    const older = legacy('tools/call', { name: 'test_wait', arguments: args })
    const message = index % 2 === 0 ? modern('test_wait', args) : older
    while (!load.isOver) {
      const { status, text } = await callFrom(`127.0.0.${index + 10}`, url, message)
      if (status === 200 && text.includes('Waited')) load.good++
      else load.bad.push(`${status} ${text}`)
    }
  })
  const stop = async () => {
    load.isOver = true
    await Promise.all(workers)
    return load
  }
  return { stop }
}
