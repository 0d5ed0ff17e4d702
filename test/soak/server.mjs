// A typical program, for properties that can only be seen from outside: signals, memory, descriptors.
import { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { defaultLimits, jwtBearer, serve, serveStdio, Type } from 'toolwright'
import { formats, longResults } from './long-texts.mjs'
import { countContainers, countListeners, countTimers, readMemory, watchConnections, watchTurns } from './probes.mjs'
import { floodedUri } from './program.mjs'
import { Visits } from './visits.mjs'

const { LIMITS = '{}', DRAIN_TIMEOUT_MS = '10000', LOG = 'silent', JWT = 'null', COUNT = '', PIPE = '' } = process.env
const { SESSIONS = 'true', KEEP_ALIVE_MS = '15000' } = process.env

process.on('message', (question) => {
  void Promise.resolve(answers[question]()).then((answer) => process.send(answer ?? null))
})
// The parent has ended.
process.on('disconnect', () => process.exit(1))

// From the start on, so that containers created at boot are counted, too.
const timers = COUNT === '' ? new Set() : countTimers()
const containers = COUNT === '' ? { count: 0 } : countContainers()
const jwt = JSON.parse(JWT)
const host = await serve({
  name: 'soak',
  version: '1.0.0',
  controllers: [Visits],
  limits: JSON.parse(LIMITS),
  drainTimeoutMs: Number(DRAIN_TIMEOUT_MS),
  sessions: SESSIONS === 'true',
  keepAliveMs: Number(KEEP_ALIVE_MS),
  webSocket: PIPE !== '',
  legacySse: PIPE !== '',
  fastify: { logger: { level: LOG } },
  ...(jwt === null ? {} : guarded()),
})
const connections = watchConnections(host.server)
const released = {}
released.promise = new Promise((resolve) => {
  released.now = resolve
})
const { catalog, changes } = host.mcp
catalog.addTool({ name: 'echo', input: Type.Object({ text: Type.String() }), handler: ({ text }) => text })
catalog.addTool({
  name: 'wait',
  input: Type.Object({ ms: Type.Number() }),
  handler: async ({ ms }) => {
    await setTimeout(ms)
    return 'waited'
  },
})
catalog.addTool({
  name: 'give_text',
  input: Type.Object({ megabytes: Type.Number() }),
  handler: async ({ megabytes }) => {
    const text = Buffer.alloc(megabytes * 1_000_000, 'x').toString('latin1')
    await setTimeout(2)
    return text
  },
})
catalog.addTool({
  name: 'hold',
  handler: async () => {
    await released.promise
    return 'waited'
  },
})
catalog.addTool({
  name: 'stray',
  handler: () => {
    void Promise.reject(new Error('nobody waits for this'))
    return 'went astray'
  },
})
catalog.addTool({
  name: 'throw_later',
  handler: () => {
    setImmediate(() => {
      throw new Error('nobody catches this')
    })
    return 'thrown'
  },
})
catalog.addTool({
  name: 'flood',
  input: Type.Object({ messages: Type.Integer(), atOnce: Type.Integer() }),
  handler: async ({ messages, atOnce }) => {
    for (let sent = 0; sent < messages; sent++) {
      // Another resource each time: two changes of one resource at once cause one notification.
      changes.resourceUpdated(floodedUri(sent % 100))
      if (sent % atOnce === 0) await setTimeout(0)
    }
    return 'flooded'
  },
})
const list = { type: 'array' }
const take = (name, properties, hooks) => {
  catalog.addTool({ name, inputSchema: { type: 'object', properties }, handler: () => 'taken', hooks })
}
take('take', { list })
take('take_hooked', { list }, [{ onInvoking: (call) => void call.arguments }])
take('take_unique_json', { list: { ...list, uniqueItems: true } })
const input = Type.Object({ list: Type.Array(Type.Unknown(), { uniqueItems: true }) })
catalog.addTool({ name: 'take_unique', input, handler: () => 'taken' })
const echo = (name, tool) =>
  catalog.addTool({ name, inputSchema: { type: 'object' }, handler: (args) => args, ...tool })
echo('echo_json', {})
echo('echo_hooked', { hooks: [{ onCompleted: (call, result) => void [call.arguments, result] }] })
echo('echo_checked', { outputSchema: { type: 'object', properties: { list } } })
echo('echo_typed', { output: Type.Object({ list: Type.Array(Type.Unknown()) }) })
echo('echo_text', { handler: (args) => args.list.at(-1) })
echo('echo_blocks', { handler: (args) => [{ type: 'text', text: args.list.at(-1), _meta: args }] })
const format = (name) =>
  name === 'pattern' ? { type: 'string', pattern: '^[a-z ]*$' } : { type: 'string', format: name }
const texts = Object.fromEntries(formats.map((name) => [name, format(name)]))
take('take_texts_json', texts)
// Any string is valid, so that all are checked.
const lists = Object.fromEntries(
  formats.map((name) => [name, { type: 'array', items: { anyOf: [format(name), { type: 'string' }] } }]),
)
take('take_lists_json', lists)
const typed = (properties) => {
  const entries = Object.entries(properties)
  return Type.Object(Object.fromEntries(entries.map(([name, schema]) => [name, Type.Optional(Type.Unsafe(schema))])))
}
catalog.addTool({ name: 'take_texts', input: typed(texts), handler: () => 'taken' })
catalog.addTool({ name: 'take_lists', input: typed(lists), handler: () => 'taken' })
echo('echo_lists', { output: typed(lists) })
const results = longResults(defaultLimits.maxResultBytes - 1000)
const made = {}
const give = ({ name }) => (made[name] ??= results[name]())
catalog.addTool({ name: 'give', input: Type.Object({ name: Type.String() }), handler: give })
const Row = Type.Object({ id: Type.Integer(), name: Type.String(), price: Type.Number(), sold: Type.Boolean() })
catalog.addTool({
  name: 'give_rows',
  input: Type.Object({ name: Type.String() }),
  output: Type.Object({ rows: Type.Array(Row) }),
  handler: give,
})
catalog.addResource({ name: 'flooded', uri: floodedUri(0), handler: () => 'x' })
if (jwt !== null) {
  // Features hidden from callers without a role.
  const hidden = { authorize: { roles: ['admin'] }, handler: () => 'for admins' }
  catalog.addTool({ name: 'hidden', ...hidden })
  catalog.addPrompt({ name: 'hidden', ...hidden })
  catalog.addResource({ name: 'hidden', uri: 'mem://hidden', ...hidden })
}

/** Callers are authenticated, and forbidden features are hidden, but a hook observes the rejections. */
function guarded() {
  const audit = { onFailed: (call, error) => host.log.trace({ name: call.name, error: error.message }) }
  return { authentication: jwtBearer(jwt), authorization: { hideForbidden: true }, hooks: [audit] }
}

if (PIPE !== '') {
  // Like stdin and stdout, which this program uses otherwise.
  const pipe = new Socket({ fd: Number(PIPE) })
  void serveStdio(host.mcp, { input: pipe, output: pipe })
}

const turns = watchTurns()

const answers = {
  memory: () => readMemory(),
  roughMemory: () => readMemory(2),
  rss: () => process.memoryUsage().rss,
  metrics: () => host.mcp.metrics(),
  containers: () => containers.count,
  release: () => released.now(),
  read: () => connections.read(),
  leftovers: () => ({
    timers: timers.size,
    listeners: countListeners(host.server, connections),
    connections: connections.open.size,
  }),
  watchLoop: () => turns.begin(),
  /** Milliseconds of a blocked event loop since `watchLoop`. */
  longestTurn: () => turns.end(),
}
