// Serves the built documentation on this machine only: `npm run docs:build`, then `npm run docs:preview -- --port 4173`. The
// command `vitepress preview` listens on all addresses, and has no option for the address.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { serve } from 'vitepress'

const { values } = parseArgs({ options: { port: { type: 'string', default: '4173' } } })
// VitePress passes its port to `server.listen`, which also takes an object, and prints it.
const address = { host: '127.0.0.1', port: Number(values.port), toString: () => values.port }
await serve({ root: join(import.meta.dirname, '..', 'docs'), port: address })
