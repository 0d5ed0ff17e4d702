// Measures what a call of the typed client costs beside a call of the bare official client, over HTTP and in both eras.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { connect } from '@toolwright/client'
import { quantile, readFlags, startProgram } from './program.mjs'

// `--bound`: largest ratio of processor time of this process. Wall-clock time depends on the load of the machine.
const flags = readFlags({ rounds: 40, calls: 100, bound: 1.1 })
const program = await startProgram()

const summary = {}
for (const era of ['modern', 'legacy']) {
  const bare = new Client(
    { name: 'bare', version: '1.0.0' },
    { versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' } },
  )
  await bare.connect(new StreamableHTTPClientTransport(program.url))
  // The typed client has listed the tools, so its official client knows their schemas.
  await bare.listTools()
  const typed = await connect(program.url, { era })
  const tools = typed.tools()
  const clients = {
    bare: () => bare.callTool({ name: 'echo', arguments: { text: 'x' } }),
    typed: () => tools.echo({ text: 'x' }),
  }
  // The first rounds compile the code.
  for (let round = 0; round < 5; round++) for (const call of Object.values(clients)) await measure(call)
  const ratios = { cpu: [], time: [] }
  for (let round = 0; round < flags.rounds; round++) {
    // In turn, so that a slowdown of the machine affects both.
    const order = round % 2 === 0 ? ['bare', 'typed'] : ['typed', 'bare']
    const costs = {}
    for (const name of order) costs[name] = await measure(clients[name])
    ratios.cpu.push(costs.typed.cpu / costs.bare.cpu)
    ratios.time.push(costs.typed.time / costs.bare.time)
  }
  summary[era] = { cpu: rounded(quantile(ratios.cpu, 0.5)), time: rounded(quantile(ratios.time, 0.5)) }
  await typed.close()
  await bare.close()
}
process.stdout.write(`${JSON.stringify(summary)}\n`)
program.child.kill('SIGTERM')
await program.ended
process.exitCode = Object.values(summary).every(({ cpu }) => cpu <= flags.bound) ? 0 : 1

async function measure(call) {
  const cpu = process.cpuUsage()
  const began = performance.now()
  for (let number = 0; number < flags.calls; number++) await call()
  const { user, system } = process.cpuUsage(cpu)
  return { cpu: user + system, time: performance.now() - began }
}

function rounded(ratio) {
  return Math.round(ratio * 100) / 100
}
