// Nodes that share a Redis, and sessions under load whose calls are sent to the nodes in turn.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { keepAlive, legacy, openSession, readFlags, send } from './program.mjs'
import { endLater } from './redis-servers.mjs'

export const flags = readFlags({ sessions: 20, 'phase-ms': 6000 })

export async function startNodes(options) {
  const nodes = []
  for (let count = 0; count < 2; count++) {
    const program = fileURLToPath(new URL('./redis-node.mjs', import.meta.url))
    const child = endLater(fork(program, { env: { ...process.env, REDIS: JSON.stringify(options) } }))
    const [url] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => ['the node ended'])])
    nodes.push({ child, url: new URL(url) })
  }
  return nodes
}

/** Sessions whose calls are sent to the nodes in turn, and resume at another node when their stream breaks. */
export function startLoad(nodes) {
  const agent = keepAlive()
  const totals = { sent: 0, failed: 0, lost: 0, doubled: 0, resumed: 0, newSessions: 0 }
  const stopping = new AbortController()
  let [turn, before] = [0, { ...totals }]
  let outage = null
  const nextUrl = () => nodes[turn++ % nodes.length].url
  const workers = Array.from({ length: flags.sessions }, async () => {
    let session = null
    while (!stopping.signal.aborted) {
      try {
        session ??= await openSession(nextUrl(), { agent })
        if (session['mcp-session-id'] === undefined) throw new Error('no session')
        const status = await callOnce(session)
        if (status === 404) throw new Error('the session is gone')
      } catch {
        fail()
        totals.newSessions++
        session = null
      }
      await setTimeout(10)
    }
  })

  async function callOnce(session) {
    totals.sent++
    const id = totals.sent
    const params = { name: 'counts', arguments: {}, _meta: { progressToken: id } }
    const message = legacy('tools/call', params, session, id)
    const seen = { progress: [], answers: 0, lastId: undefined }
    const { statusCode } = await read(await send(nextUrl(), message, { agent }), seen)
    if (statusCode !== 200) {
      if (statusCode !== 404) fail()
      return statusCode
    }
    if (outage?.hasFailed === true) outage.endedAt ??= performance.now()
    for (let tries = 0; seen.answers === 0 && seen.lastId !== undefined && tries < 5; tries++) {
      totals.resumed++
      await setTimeout(200)
      const headers = { ...session, 'last-event-id': seen.lastId, 'mcp-protocol-version': '2025-11-25' }
      const { statusCode: status } = await read(await send(nextUrl(), { headers }, { agent, method: 'GET' }), seen)
      if (status === 400 || status === 404) break
    }
    if (seen.answers === 0) totals.lost++
    else if (new Set(seen.progress).size < 3) totals.lost++
    if (seen.answers > 1 || new Set(seen.progress).size < seen.progress.length) totals.doubled++
    return 200
  }

  function fail() {
    totals.failed++
    if (outage !== null) Object.assign(outage, { hasFailed: true, failedAt: performance.now() })
  }

  function secondsTo(what) {
    return Math.round((outage[what] - outage.beganAt) / 100) / 10
  }

  return {
    mark(phase) {
      const counts = Object.entries(totals).map(([name, value]) => [name, value - before[name]])
      before = { ...totals }
      const seconds =
        outage?.hasFailed === true ? { firstSuccess: secondsTo('endedAt'), lastFailure: secondsTo('failedAt') } : {}
      outage = null
      return { phase, ...Object.fromEntries(counts), ...seconds }
    },
    /** Records a failure: the next mark has the seconds to the first success after it, and to the last failed call. */
    harm() {
      outage = { beganAt: performance.now(), hasFailed: false }
    },
    async end() {
      stopping.abort()
      await Promise.all(workers)
      agent.destroy()
      return totals
    },
  }
}

/** Reads a response, as JSON or as events, until it ends or breaks. */
async function read(response, seen) {
  let text = ''
  const timer = globalThis.setTimeout(() => response.destroy(), 5000)
  try {
    for await (const chunk of response.setEncoding('utf8')) text += chunk
  } catch {
    // The client reconnects for the rest.
  } finally {
    clearTimeout(timer)
  }
  if (response.statusCode !== 200) return response
  const isJson = response.headers['content-type']?.startsWith('application/json')
  const events = isJson ? [`data: ${text}`] : text.split('\n\n').slice(0, -1)
  for (const event of events) {
    seen.lastId = /^id: ?(.+)$/m.exec(event)?.[1] ?? seen.lastId
    const data = /^data:(.*)$/m.exec(event)?.[1].trim() ?? ''
    if (data === '') continue
    const { result, params } = JSON.parse(data)
    if (result !== undefined) seen.answers++
    else if (params?.progress !== undefined) seen.progress.push(params.progress)
  }
  return response
}

/** Waits until all calls succeed again, and ends the load and the nodes. */
export async function finish(load, nodes, phases) {
  for (let tries = 0; tries < 20; tries++) {
    await setTimeout(1000)
    const { phase, sent, failed } = load.mark('recovery')
    phases.push({ phase, sent, failed })
    if (sent > 0 && failed === 0) break
  }
  await setTimeout(flags['phase-ms'] / 2)
  const afterwards = load.mark('afterwards')
  const totals = await load.end()
  for (const { child } of nodes) child.disconnect()
  // Redis acknowledges before a replica has a write, so that a failover may lose the last ones: the call in flight of
  // each session.
  const isGood = totals.doubled + afterwards.failed === 0 && totals.lost <= totals.sent / 100
  return { ...totals, isGood, failedAtTheEnd: afterwards.failed, phases: [...phases, afterwards] }
}
