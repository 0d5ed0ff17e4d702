import { BenchmarkServer } from './benchmark-server.js'
import { Child } from './child.js'
import type { CallerKind } from './children/caller.js'
import { quantile } from './quantile.js'
import { thousands } from './report.js'
import type { Settings } from './settings.js'

/**
 * Measures the CPU time of a call of a tool that another server has: through a server with a proxy, relative to a call with the
 * official client. Both are timed in turn, each in its own process. The time of the other server is not part of the figures.
 */
export async function timeProxiedCalls({ launches, rounds, seconds }: Settings): Promise<string> {
  const ratios: number[] = []
  const proxied: number[] = []
  for (let launch = 0; launch < launches; launch++) {
    const upstream = await BenchmarkServer.start('toolwright', { tools: 1, hooks: 'none', add: 'typebox', jwks: null })
    const callers = { official: new Child('caller'), proxied: new Child('caller') }
    const time = async (kind: CallerKind): Promise<number> => {
      const message = { kind, url: upstream.url, milliseconds: seconds * 1000 }
      return (await callers[kind].ask<{ cpuMicros: number }>(message)).cpuMicros
    }
    try {
      for (let round = 0; round < rounds; round++) {
        const official = await time('official')
        const own = await time('proxied')
        ratios.push(own / official)
        proxied.push(own)
      }
    } finally {
      await Promise.all([callers.official.stop(), callers.proxied.stop(), upstream.stop()])
    }
  }
  return `${quantile(ratios, 0.5).toFixed(2)} of the official client's call, ${thousands(quantile(proxied, 0.5))} µs`
}
