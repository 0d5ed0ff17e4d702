// How long one request within the limits keeps the event loop: each shape of JSON that takes long, to each kind of tool,
// to tools that send it back, and texts that formats take long for.
import { setTimeout } from 'node:timers/promises'
import { defaultLimits } from 'toolwright'
import { call, keepAlive, modern, readFlags, startProgram } from './program.mjs'

/** Milliseconds in which nothing else is done. Of processor time: on a busy machine the clock says how busy it is. */
const bound = 100
// `--every 11`: an eleventh of them.
const flags = readFlags({ rounds: 9, every: 1, verbose: 0 })
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
const wide = { ascii: 'x', 'beyond ASCII': '世' }
/** As JSON has them. */
const paddings = {
  ...wide,
  'Latin-1': 'é',
  'beyond two bytes': '😀',
  quotes: '\\"',
  backslashes: '\\\\',
  tabs: '\\t',
  'control characters': '\x7f',
  'control characters, spelt': '\\u0001',
  'some control characters': 'x\x7f',
}
/** What the libraries take longest for: a start, and what is repeated after it, as JSON has them. */
const slowTexts = {
  date: ['', '1'],
  time: ['10:10:10.', '1'],
  'date-time': ['', 'T'],
  duration: ['P', '1'],
  uuid: ['', 'a'],
  ipv4: ['', '1.'],
  ipv6: ['', '::'],
  email: ['a@', 'aa.'],
  'idn-email': ['a@', '世.'],
  hostname: ['', 'xn--a.'],
  'idn-hostname': ['', '世.'],
  uri: ['http://', 'a'],
  'uri-reference': ['', '%20'],
  iri: ['http://', '世'],
  'iri-reference': ['//', '世.'],
  url: ['http://', ':'],
  'uri-template': ['{', 'a'],
  regex: ['', '\\\\p{L}'],
  byte: ['', 'A\\n'],
  'json-pointer': ['/', 'a'],
  pattern: ['', 'a '],
}

const longest = { ms: 0 }
let measured = 0
let requests = 0
for (const [shape, padding, json] of messages(wide)) {
  for (const tool of ['take', 'take_hooked', 'take_unique', 'take_unique_json'])
    await measure(tool, json, [shape, padding])
}
const echoes = ['echo_json', 'echo_checked', 'echo_hooked', 'echo_typed']
let next = 0
for (const [shape, padding, json] of messages(paddings)) {
  const own = shape === 'one text' ? ['echo_text', 'echo_blocks'] : []
  for (const tool of [echoes[next++ % echoes.length], ...own]) await measure(tool, json, [shape, padding])
}
for (const [name, [start, part]] of Object.entries(slowTexts)) {
  const text = start + part.repeat((bytes - start.length) / Buffer.byteLength(part))
  for (const tool of ['take_texts', 'take_texts_json']) await measure(tool, `{"${name}":"${text}!"}`, [name])
}
process.stdout.write(`${JSON.stringify({ requests, longest })}\n`)
agent.destroy()
program.child.kill('SIGTERM')
await program.ended
process.exitCode = longest.ms < bound ? 0 : 1

/** Every shape with every padding, as arguments. */
function* messages(used) {
  for (const [shape, parts] of Object.entries(shapes)) {
    for (const [padding, character] of Object.entries(used)) {
      const room = bytes - Buffer.byteLength(parts)
      yield [shape, padding, `{"list":[${parts},"${character.repeat(room / Buffer.byteLength(character))}"]}`]
    }
  }
}

async function measure(tool, json, what) {
  if (measured++ % flags.every !== 0) return
  requests++
  const { processor: ms, clock } = await quietest(tool, json)
  if (flags.verbose > 0) process.stderr.write(`${ms} ms (${clock}): ${tool}, ${what.join(', ')}\n`)
  if (ms > longest.ms) Object.assign(longest, { ms, clock, tool, what: what.join(', ') })
}

/** The shortest of several rounds: what else the process does makes some longer. */
async function quietest(tool, json) {
  const { body, headers } = modern(tool)
  const text = JSON.stringify(body).replace('"arguments":{}', () => `"arguments":${json}`)
  const message = { body: Buffer.from(text), headers }
  const shortest = { processor: Infinity, clock: Infinity }
  for (let round = 0; round < flags.rounds; round++) {
    await program.ask('watchLoop')
    const answer = await call(url, message, { agent })
    if (answer.status !== 200) throw new Error(`answered with ${answer.status}: ${answer.text}`)
    // The delay is only known when the loop has gone round.
    await setTimeout(10)
    const turn = await program.ask('longestTurn')
    for (const kind of Object.keys(shortest)) shortest[kind] = Math.min(shortest[kind], Math.round(turn[kind]))
  }
  return shortest
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
