// `PORT=3000 TOOLS=100 npm run bench:server`: the benchmark server alone, for a load generator of your choice.
import { createBenchmarkHost } from './benchmark-host.js'

const host = await createBenchmarkHost({ moreTools: readNumber('TOOLS', 0) })
const address = await host.listen({ port: readNumber('PORT', 3000), host: process.env['HOST'] ?? '127.0.0.1' })
process.stdout.write(`${host.mcp.catalog.tools.all.length} tools at ${address}/mcp\n`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void host.close())

function readNumber(variable: string, byDefault: number): number {
  const text = process.env[variable]
  const value = text === undefined || text === '' ? byDefault : Number(text)
  if (Number.isInteger(value) && value >= 0) return value
  throw new Error(`${variable} is '${text}'. Give a number from 0 on.`)
}
