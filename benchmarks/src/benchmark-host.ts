import type { FastifyInstance } from 'fastify'
import { createHost, type JwtBearerOptions, jwtBearer } from 'toolwright'
import { audience, issuer } from './access.js'
import { type AddVariant, addVariants } from './add-variants.js'
import { createHooks, type Hooks } from './benchmark-hooks.js'
import { benchmarkControllers, ScopedAddTools } from './benchmark-tools.js'

/** Configuration of a server with `add_numbers`. */
export interface BenchmarkConfig {
  readonly moreTools?: number
  /** Keys that verify tokens; `null` for a server without authentication. */
  readonly jwks?: JwtBearerOptions['jwks'] | null
  readonly hooks?: Hooks
  /** Variant of `add_numbers`. Ignored with `jwks`. */
  readonly add?: AddVariant
}

/** Creates a Toolwright server as a user would, with the logger off. */
export async function createBenchmarkHost({
  moreTools = 0,
  jwks = null,
  hooks = 'none',
  add = 'typebox',
}: BenchmarkConfig): Promise<FastifyInstance> {
  const tools = jwks === null ? await addVariants[add]() : ScopedAddTools
  return createHost({
    name: 'benchmark',
    version: '1.0.0',
    controllers: benchmarkControllers(moreTools, tools),
    fastify: { logger: false },
    ...(jwks === null ? {} : { authentication: jwtBearer({ issuer, audience, jwks }) }),
    ...(hooks === 'none' ? {} : { hooks: createHooks(hooks) }),
  })
}
