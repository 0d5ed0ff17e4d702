import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { createServer } from '@toolwright/core'
import { pino } from 'pino'
import { openApi } from '../src/index.js'

const document = JSON.parse(gunzipSync(readFileSync(`${__dirname}/fixtures/github.json.gz`)).toString()) as object

test('boots', async () => {
  const started = performance.now()
  const cpu = process.cpuUsage()
  const server = await createServer({ name: 'a', version: '1', logger: pino({ level: 'silent' }), sources: [openApi({ document, auth: 'none', maxTools: 2000 })] })
  const used = process.cpuUsage(cpu)
  const list = await server.listTools()
  const json = JSON.stringify(list)
  console.log(performance.now() - started, 'ms', (used.user+used.system)/1000, 'cpu', list.length, json.length)
  let i=0,o=0,d=0
  for (const t of list as any[]) { i += JSON.stringify(t.inputSchema).length; o += JSON.stringify(t.outputSchema ?? '').length; d += (t.description??'').length }
  console.log({i,o,d, outs: (list as any[]).filter(t=>t.outputSchema).length})
  console.log(String(server.explain()).match(/left out[\s\S]{0,1500}/)?.[0])
  const big = (list as any[]).sort((a,b)=>JSON.stringify(b).length-JSON.stringify(a).length)
  console.log(big.slice(0,5).map(t=>[t.name, JSON.stringify(t).length]))
  await server.close()
})
