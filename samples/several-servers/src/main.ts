import { fileURLToPath } from 'node:url'
import { proxy } from '@toolwright/proxy'
import { apiKeys, mount, serve } from 'toolwright'
import { shop } from './shop/options.js'

const keys = [
  {
    key: process.env['ADA_KEY'] ?? 'the-key-of-ada-01',
    subject: 'ada',
    roles: ['owner'],
  },
  {
    key: process.env['BEN_KEY'] ?? 'the-key-of-ben-01',
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
