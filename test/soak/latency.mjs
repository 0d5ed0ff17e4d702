// A minute of mixed load on a server of this framework and, in turn, on the official SDK in its recipe for Fastify: the
// servers of the benchmarks, which have the same responses.
import { Child } from '../../benchmarks/dist/child.js'
import { prepareRequest } from '../../benchmarks/dist/requests.js'
import { keepAlive, post, quantile, readFlags } from './program.mjs'

const flags = readFlags({ rounds: 3, seconds: 60, connections: 64, 'warm-up-seconds': 3, tools: 10 })

/**
 * Requests that a connection sends in turn, with a part of their responses. Calls are validated against the tool's
 * schema.
 */
const call = prepareRequest('tools/call', 'modern', null)
const legacyCall = prepareRequest('tools/call', 'legacy', null)
const good = /"sum":5/
const mix = [
  { request: call, expected: good },
  { request: legacyCall, expected: good },
  { request: prepareRequest('tools/list', 'modern', null), expected: /"add_numbers"/ },
  { request: call, expected: good },
  { request: badly(call), expected: /"error"|"isError":true/ },
  { request: prepareRequest('tools/list', 'legacy', null), expected: /"add_numbers"/ },
]

const servers = await Promise.all([start('toolwright'), start('sdk')])
for (const server of servers) await load(server, flags['warm-up-seconds'])
const rounds = []
for (let round = 0; round < flags.rounds; round++) {
  const metrics = {}
  for (const server of servers) metrics[server.name] = await load(server, flags.seconds)
  rounds.push(metrics)
}
await Promise.all(servers.map(({ child }) => child.stop()))
const errors = rounds.reduce((sum, { toolwright }) => sum + toolwright.errors, 0)
process.stdout.write(`${JSON.stringify({ errors, rounds })}\n`)
// A ratio, because a slow machine slows both.
const ratios = rounds.map(({ toolwright, sdk }) => toolwright.p99Ms / sdk.p99Ms)
process.exitCode = errors === 0 && quantile(ratios, 0.5) <= 1 ? 0 : 1

async function start(name) {
  const child = new Child(name)
  const { url } = await child.ask({ serve: { tools: flags.tools, hooked: false, jwks: null } })
  return { name, child, url: new URL(url) }
}

/** Each connection sends its next request after the response to the last. */
async function load({ url }, seconds) {
  const agent = keepAlive(flags.connections)
  const times = []
  let failed = 0
  const end = performance.now() + seconds * 1000
  const connection = async (_, index) => {
    for (let next = index; performance.now() < end; next++) {
      const { request, expected } = mix[next % mix.length]
      const began = performance.now()
      const answer = await post(url, request, agent).catch(() => null)
      if (answer === null || !expected.test(answer.text)) failed++
      times.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: flags.connections }, connection))
  agent.destroy()
  return {
    answers: times.length,
    errors: failed,
    medianMs: Number(quantile(times, 0.5).toFixed(1)),
    p99Ms: Number(quantile(times, 0.99).toFixed(1)),
  }
}

function badly({ headers, body }) {
  return { headers, body: body.replace('"a":2', '"a":"two"') }
}
