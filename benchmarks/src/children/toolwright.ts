import type { JwtBearerOptions } from 'toolwright'
import type { AddVariant } from '../add-variants.js'
import type { Hooks } from '../benchmark-hooks.js'
import { createBenchmarkHost } from '../benchmark-host.js'
import { serveAsTold } from '../served.js'

interface Config {
  readonly tools: number
  readonly hooks: Hooks
  readonly add: AddVariant
  readonly jwks: JwtBearerOptions['jwks'] | null
}

serveAsTold(({ tools, ...config }: Config) => createBenchmarkHost({ ...config, moreTools: tools - 1 }))
