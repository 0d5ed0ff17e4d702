// Measures how long one request within the limits blocks the event loop, over each transport: slow JSON to tools of
// each kind and to tools that return it, strings with slow formats, and long results.
import { setTimeout } from 'node:timers/promises'
import { defaultLimits } from 'toolwright'
import { formattedTexts, longObjects, longResults, paddings, wide } from './long-texts.mjs'
import { modern, readFlags, startProgram } from './program.mjs'
import { overHttp, overStdio, overWebSocket } from './transports.mjs'

// `--bound`: milliseconds of a blocked event loop, in processor time, because wall-clock time depends on the load of the
// machine. `--every 11`: an eleventh of the requests.
const flags = readFlags({ rounds: 9, every: 1, bound: 100, verbose: 0 })
const program = await startProgram({ pipe: true })
const transports = { http: overHttp(program), webSocket: await overWebSocket(program), stdio: overStdio(program) }
// A few bytes are used by the message around the arguments.
const limits = {
  bytes: defaultLimits.maxMessageBytes - 1000,
  keys: defaultLimits.maxKeys - 20,
  items: defaultLimits.maxItems - 20,
}
const summary = { requests: 0, longest: {} }
const over = Object.entries(transports)
let next = 0
for (const [tool, json, ...what] of shapes()) {
  for (const transport of over) await measure(transport, tool, json, what)
}
// Arguments of tools over each transport, one after the other.
for (const [tool, json, ...what] of [...contents(), ...results()])
  await measure(over[next % over.length], tool, json, what)
process.stdout.write(`${JSON.stringify(summary)}\n`)
for (const { close } of Object.values(transports)) close()
program.child.kill('SIGTERM')
await program.ended
process.exitCode = Object.values(summary.longest).every(({ ms }) => ms < flags.bound) ? 0 : 1

function* shapes() {
  for (const { shape, padding, json } of longObjects(limits, wide)) {
    for (const tool of ['take', 'take_hooked', 'take_unique', 'take_unique_json']) yield [tool, json, shape, padding]
  }
  const echoes = ['echo_json', 'echo_checked', 'echo_hooked', 'echo_typed']
  let index = 0
  for (const { shape, padding, json } of longObjects(limits, paddings)) {
    const own = shape === 'one text' ? ['echo_text', 'echo_blocks'] : []
    for (const tool of [echoes[index++ % echoes.length], ...own]) yield [tool, json, shape, padding]
  }
}

function* contents() {
  for (const { format, tools, json } of formattedTexts(limits)) {
    for (const tool of tools) yield [tool, json, format]
  }
}

function* results() {
  for (const name of Object.keys(longResults(0)))
    yield [name === 'rows' ? 'give_rows' : 'give', () => JSON.stringify({ name })]
}

async function measure([transport, { call }], tool, json, what) {
  if (next++ % flags.every !== 0) return
  summary.requests++
  const text = json()
  const { processor: ms, clock } = await quietest(call, tool, text)
  const turn = { ms, clock, tool, what: [...what, text.slice(0, 40), text.slice(-20)].join(', ') }
  if (flags.verbose > 0) process.stderr.write(`${ms} ms (${clock}): ${transport}, ${tool}, ${turn.what}\n`)
  if (ms > (summary.longest[transport]?.ms ?? 0)) summary.longest[transport] = turn
}

/**
 * The minimum of several rounds, because other work of the process makes some longer. A value far from the limit needs
 * one round.
 */
async function quietest(call, tool, json) {
  const { body, headers } = modern(tool)
  const text = JSON.stringify(body).replace('"arguments":{}', () => `"arguments":${json}`)
  const shortest = { processor: Infinity, clock: Infinity }
  for (let round = 0; round < flags.rounds && shortest.processor > flags.bound * 0.75; round++) {
    await program.ask('watchLoop')
    const answer = await call(Buffer.from(text), headers)
    if (!answer.startsWith('{"jsonrpc":"2.0","id":1,"result":')) throw new Error(`answered with ${answer}`)
    // The delay is only known after a turn of the event loop.
    await setTimeout(10)
    const turn = await program.ask('longestTurn')
    for (const kind of Object.keys(shortest)) shortest[kind] = Math.min(shortest[kind], Math.round(turn[kind]))
  }
  return shortest
}
