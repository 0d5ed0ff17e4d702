// How long one request within the limits keeps the event loop: each shape of JSON that takes long, to each kind of tool.
import { setTimeout } from 'node:timers/promises'
import { defaultLimits } from 'toolwright'
import { call, keepAlive, modern, readFlags, startProgram } from './program.mjs'

// `--every 5`: a fifth of them.
const flags = readFlags({ rounds: 9, every: 1 })
const program = await startProgram()
const { url } = program
const agent = keepAlive(1)
// A few are in the message around the arguments.
const keys = defaultLimits.maxKeys - 20
const items = defaultLimits.maxItems - 20
const bytes = defaultLimits.maxMessageBytes - 1000

const shapes = {
  'keys of one object': members(keys, (index) => `"${index.toString(36)}":0`),
  'long keys': members(keys, (index) => `"${index}${'x'.repeat(350)}":0`),
  'objects with a key each': list(keys, (index) => `{"${index.toString(36)}":{}}`),
  rows: list(keys / 4, (index) => `{"id":${index},"name":"row ${index}","price":${index / 7},"sold":false}`),
  'objects in objects': list(keys / 50, (row) => nested(50, (level) => `{"${row * 50 + level}":`, '0', '}')),
  'a suspicious key': list(keys, (index) => (index === 0 ? '{"constructor":0}' : `{"k${index}":{}}`)),
  'empty objects': list(items, () => '{}'),
  'lists in lists': list(items / 50, () => nested(50, () => '[', '', ']')),
  numbers: list(items, (index) => String(index / 7)),
  texts: list(items, (index) => `"${index}"`),
  'equal texts': list(items, () => '"x"'),
  'one text': '0',
}
const paddings = { ascii: 'x', 'beyond ASCII': '世' }
const tools = ['take', 'take_hooked', 'take_unique', 'take_unique_json']

const longest = { ms: 0 }
let turn = 0
let requests = 0
for (const [shape, parts] of Object.entries(shapes)) {
  for (const [padding, character] of Object.entries(paddings)) {
    const room = bytes - Buffer.byteLength(parts)
    const filler = character.repeat(room / Buffer.byteLength(character))
    for (const tool of tools) {
      if (turn++ % flags.every !== 0) continue
      requests++
      const ms = await quietest(tool, `[${parts},"${filler}"]`)
      if (ms > longest.ms) Object.assign(longest, { ms, shape, padding, tool })
    }
  }
}
process.stdout.write(`${JSON.stringify({ requests, longest })}\n`)
agent.destroy()
program.child.kill('SIGTERM')
await program.ended
process.exitCode = longest.ms < 100 ? 0 : 1

/** The shortest of several rounds: what else runs on the machine makes all but that longer. */
async function quietest(tool, json) {
  const { body, headers } = modern(tool)
  const text = JSON.stringify(body).replace('"arguments":{}', `"arguments":{"list":${json}}`)
  const message = { body: Buffer.from(text), headers }
  const delays = []
  for (let round = 0; round < flags.rounds; round++) {
    await program.ask('watchLoop')
    const answer = await call(url, message, { agent })
    if (answer.status !== 200) throw new Error(`answered with ${answer.status}: ${answer.text}`)
    // The delay is only known when the loop has gone round.
    await setTimeout(10)
    delays.push(await program.ask('longestDelay'))
  }
  return Math.round(Math.min(...delays))
}

function list(length, item) {
  return Array.from({ length }, (_, index) => item(index)).join()
}

function members(length, member) {
  return `{${list(length, member)}}`
}

function nested(levels, open, inner, close) {
  return Array.from({ length: levels }, (_, level) => open(level)).join('') + inner + close.repeat(levels)
}
