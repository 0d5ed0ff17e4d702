import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { openApi } from '@toolwright/openapi'
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

// Other MCP servers: over HTTP, and a program over stdio.
const others = proxy({
  weather: { url: process.env['WEATHER_URL'] ?? 'http://127.0.0.1:4000/mcp' },
  notes: {
    command: process.execPath,
    args: [fileURLToPath(new URL('notes.js', import.meta.url))],
  },
})

// An HTTP API. It gets the name of the caller, and not the key.
const deliveries = openApi({
  document: new URL('../deliveries.yaml', import.meta.url),
  baseUrl: process.env['DELIVERIES_URL'] ?? 'http://127.0.0.1:4001',
  allowPrivate: ['127.0.0.1'],
  auth: ({ principal }) => ({
    headers: { 'x-customer': principal?.subject ?? '' },
  }),
})

await serve({
  name: 'several-servers',
  version: '1.0.0',
  authentication: apiKeys({ keys }),
  authorization: { default: 'authenticated' },
  sources: [others, deliveries, mount(shop, { prefix: 'shop_' })],
  health: { checks: { upstreams: others.isHealthy } },
})
