// With `hideForbidden`, the responses for a forbidden feature equal those for an unknown one, in every byte and in
// timing.
import { call, keepAlive, legacy, modern, quantile, readFlags, startProgram } from './program.mjs'
import { rankSum } from './rank-sum.mjs'
import { issueTokens } from './tokens.mjs'

const flags = readFlags({ calls: 2000, 'warm-up': 500 })
const { options, good } = await issueTokens()
const program = await startProgram({ env: { JWT: JSON.stringify(options) } })
const agent = keepAlive(1)
const authorization = `Bearer ${good}`
const names = { forbidden: 'hidden', unknown: 'hidder' }

/** Requests, by name. */
const requests = {
  tool: (name) => modern(name),
  toolOfLegacy: (name) => legacy('tools/call', { name, arguments: {} }),
  prompt: (name) => named(name, modern(name, { name, arguments: {} }, 'prompts/get')),
  resource: (name) => named(`mem://${name}`, modern(name, { uri: `mem://${name}` }, 'resources/read')),
}

const report = {}
for (const [kind, request] of Object.entries(requests)) report[kind] = await compare(request)
process.stdout.write(`${JSON.stringify(report)}\n`)
agent.destroy()
program.child.kill('SIGTERM')
await program.ended
const isAlike = ({ answers, differencePercent, rankSum: z }) =>
  answers === 1 && Math.abs(differencePercent) < 5 && Math.abs(z) < 3.29
process.exitCode = Object.values(report).every(isAlike) ? 0 : 1

/** Sequential over one connection, each pair in random order. */
async function compare(request) {
  const times = { forbidden: [], unknown: [] }
  const answers = new Set()
  // All ids have one length, and so have all responses.
  for (let index = -flags['warm-up']; index < flags.calls / 2; index++) {
    const id = 2e6 + index
    const pair = Math.random() < 0.5 ? ['forbidden', 'unknown'] : ['unknown', 'forbidden']
    for (const which of pair) {
      const { ms, answer } = await timed(request(names[which]), id)
      answers.add(answer.replaceAll(names[which], 'NAME').replace(`"id":${id}`, '"id":ID'))
      if (index >= 0) times[which].push(ms)
    }
  }
  const [forbidden, unknown] = [quantile(times.forbidden, 0.5), quantile(times.unknown, 0.5)]
  return {
    calls: flags.calls,
    answers: answers.size,
    medianMicros: { forbidden: Math.round(forbidden * 1000), unknown: Math.round(unknown * 1000) },
    differencePercent: Number(((forbidden / unknown - 1) * 100).toFixed(1)),
    rankSum: Number(rankSum(times.forbidden, times.unknown).toFixed(2)),
  }
}

async function timed({ body, headers }, id) {
  const message = { body: { ...body, id }, headers: { ...headers, authorization } }
  const began = performance.now()
  const { status, headers: received, text } = await call(program.url, message, { agent })
  const ms = performance.now() - began
  const { date: _, ...others } = received
  return { ms, answer: `${status} ${JSON.stringify(others)} ${text}` }
}

function named(name, { body, headers }) {
  return { body, headers: { ...headers, 'mcp-name': name } }
}
