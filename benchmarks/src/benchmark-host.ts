import type { FastifyInstance } from 'fastify'
import { createHost } from 'toolwright'
import { AddTools, createMoreTools } from './benchmark-tools.js'

/** The controllers of a benchmark server: `add_numbers` and some more tools. */
export function benchmarkControllers(moreTools: number): readonly (new () => object)[] {
  return moreTools === 0 ? [AddTools] : [AddTools, createMoreTools(moreTools)]
}

/** Toolwright as a user would start it, with the logger off. */
export function createBenchmarkHost(moreTools: number): Promise<FastifyInstance> {
  return createHost({
    name: 'benchmark',
    version: '1.0.0',
    controllers: benchmarkControllers(moreTools),
    fastify: { logger: false },
  })
}
