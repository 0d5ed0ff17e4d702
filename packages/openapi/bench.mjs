import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { createServer } from '@toolwright/core'
import { pino } from 'pino'
import { openApi } from './dist/index.js'

const document = JSON.parse(gunzipSync(readFileSync(`./test/fixtures/github.json.gz`)).toString())
const cpu0 = process.cpuUsage()
const server = await createServer({
  name: 'a',
  version: '1',
  logger: pino({ level: 'silent' }),
  sources: [openApi({ document, auth: 'none', maxTools: 2000 })],
})
const used = process.cpuUsage(cpu0)
console.log('cpu', (used.user + used.system) / 1000)
const list = await server.listTools()
console.log(list.length, JSON.stringify(list).length)
await server.close()
let i = 0,
  o = 0,
  d = 0,
  outs = 0,
  pd = 0
for (const t of list) {
  i += JSON.stringify(t.inputSchema).length
  if (t.outputSchema) {
    outs++
    o += JSON.stringify(t.outputSchema).length
  }
  d += (t.description ?? '').length
}
JSON.stringify(
  list.map((t) => t.inputSchema),
  (k, v) => {
    if (k === 'description' && typeof v === 'string') pd += v.length
    return v
  },
)
console.log({ i, o, d, outs, pd })
const keys = {}
for (const t of list)
  for (const [k, v] of Object.entries(t.inputSchema.properties)) keys[k] = (keys[k] || 0) + JSON.stringify(v).length
console.log(
  Object.entries(keys)
    .sort((a, b) => b[1] - a[1])
    .slice(0, 25)
    .map(([k, v]) => k + ' ' + v)
    .join(', '),
)
console.log(JSON.stringify(list[100], null, 1).slice(0, 3000))
const ls = list.map((t) => t.description.length).sort((a, b) => a - b)
console.log(ls[600], ls[1000], ls[1200])
