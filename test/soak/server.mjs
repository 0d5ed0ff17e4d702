// A program as users write them, for what can only be seen from outside: signals, memory, descriptors.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { serve, Type } from 'toolwright'
import { floodedUri } from './program.mjs'

const { LIMITS = '{}', DRAIN_TIMEOUT_MS = '10000', LOG = 'silent' } = process.env

process.on('message', (question) => {
  void Promise.resolve(answers[question]()).then((answer) => process.send(answer ?? null))
})
// The parent is gone.
process.on('disconnect', () => process.exit(1))

const host = await serve({
  name: 'soak',
  version: '1.0.0',
  controllers: [],
  limits: JSON.parse(LIMITS),
  drainTimeoutMs: Number(DRAIN_TIMEOUT_MS),
  fastify: { logger: { level: LOG } },
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
  input: Type.Object({ messages: Type.Integer() }),
  handler: async ({ messages }) => {
    for (let sent = 0; sent < messages; sent++) {
      // Another one each time: two changes of one resource at once are told of once.
      changes.resourceUpdated(floodedUri(sent % 100))
      if (sent % 100 === 0) await setTimeout(0)
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
catalog.addResource({ name: 'flooded', uri: floodedUri(0), handler: () => 'x' })

const loop = monitorEventLoopDelay({ resolution: 1 })

const answers = {
  /** Bytes of the heap once there is nothing left to collect. */
  heap: async () => {
    for (let round = 0; round < 8; round++) {
      globalThis.gc()
      await setTimeout(150)
    }
    return process.memoryUsage().heapUsed
  },
  rss: () => process.memoryUsage().rss,
  figures: () => host.mcp.figures(),
  watchLoop: () => {
    loop.enable()
    loop.reset()
  },
  /** Milliseconds since `watchLoop` in which nothing else could be done. */
  longestDelay: () => {
    loop.disable()
    return loop.max / 1e6
  },
}
