// A server with a login in a separate process: `logins.mjs` measures its memory and its CPU time.
import { setTimeout } from 'node:timers/promises'
import { InMemoryLoginStore, login, oidc } from '@toolwright/login'
import { createHost } from 'toolwright'

const { URL: url, PROVIDER: provider = '{}' } = process.env
const store = new InMemoryLoginStore()
const host = await createHost({
  name: 'soak',
  version: '1.0.0',
  controllers: [],
  fastify: { logger: false, trustProxy: true },
  authentication: login({
    url,
    secret: 'a secret of the soak that is long enough',
    provider: oidc(JSON.parse(provider)),
    store,
  }),
})
host.mcp.catalog.addTool({ name: 'quick', handler: () => 'done' })
await host.listen({ port: Number(new URL(url).port), host: '127.0.0.1' })

const now = Date.now.bind(Date)
let aheadMs = 0
Date.now = () => now() + aheadMs

const answers = {
  memory: async () => {
    for (let round = 0; round < 6; round++) {
      globalThis.gc()
      await setTimeout(20)
    }
    return process.memoryUsage().heapUsed
  },
  cpuMs: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  },
  entries: () => store.size,
  /** Two hours later, all but the sessions have expired. */
  expire: () => (aheadMs += 2 * 3_600_000),
}
process.on('message', (question) => void answer(question))

async function answer(question) {
  process.send({ answer: await answers[question]() })
}

process.on('disconnect', () => process.exit())
process.send({ answer: 'ready' })
