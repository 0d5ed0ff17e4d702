import type { FastifyInstance } from 'fastify'
import { createHost, type JwtBearerOptions, jwtBearer } from 'toolwright'
import { audience, issuer } from './access.js'
import { createHooks, type Hooks } from './benchmark-hooks.js'
import { AddTools, AsyncAddTools, benchmarkControllers, ScopedAddTools } from './benchmark-tools.js'

/** Configuration of a server with `add_numbers`. */
export interface BenchmarkConfig {
  readonly moreTools?: number
  /** Keys that verify tokens; `null` for a server without authentication. */
  readonly jwks?: JwtBearerOptions['jwks'] | null
  readonly hooks?: Hooks
  /** Whether `add_numbers` returns a promise. Ignored with `jwks`. */
  readonly asynchronous?: boolean
}

/** Creates a Toolwright server as a user would, with the logger off. */
export function createBenchmarkHost({
  moreTools = 0,
  jwks = null,
  hooks = 'none',
  asynchronous = false,
}: BenchmarkConfig): Promise<FastifyInstance> {
  const plain = asynchronous ? AsyncAddTools : AddTools
  const add = jwks === null ? plain : ScopedAddTools
  return createHost({
    name: 'benchmark',
    version: '1.0.0',
    controllers: benchmarkControllers(moreTools, add),
    fastify: { logger: false },
    ...(jwks === null ? {} : { authentication: jwtBearer({ issuer, audience, jwks }) }),
    ...(hooks === 'none' ? {} : { hooks: createHooks(hooks) }),
  })
}
