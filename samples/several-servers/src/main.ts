import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { proxy } from '@toolwright/proxy'
import { apiKeys, mount, serve } from 'toolwright'
import { shop } from './shop/options.js'

// Without a variable, the key is random, and no caller can use it.
const keys = [
  {
    key: process.env['ADA_KEY'] ?? randomUUID(),
    subject: 'ada',
    roles: ['owner'],
  },
  {
    key: process.env['BEN_KEY'] ?? randomUUID(),
    subject: 'ben',
    roles: [],
  },
]

const others = proxy({
  weather: { url: process.env['WEATHER_URL'] ?? 'http://127.0.0.1:4000/mcp' },
  notes: {
    command: process.execPath,
    args: [fileURLToPath(new URL('notes.js', import.meta.url))],
  },
})

await serve({
  name: 'several-servers',
  version: '1.0.0',
  authentication: apiKeys({ keys }),
  authorization: { default: 'authenticated' },
  sources: [others, mount(shop, { prefix: 'shop_' })],
  health: { checks: { upstreams: others.isHealthy } },
})
