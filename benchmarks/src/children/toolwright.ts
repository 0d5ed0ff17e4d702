import type { JwtBearerOptions } from 'toolwright'
import { createBenchmarkHost } from '../benchmark-host.js'
import { serveAsTold } from '../served.js'

interface Config {
  readonly tools: number
  readonly hooked: boolean
  readonly jwks: JwtBearerOptions['jwks'] | null
}

serveAsTold(({ tools, hooked, jwks }: Config) => createBenchmarkHost({ moreTools: tools - 1, hooked, jwks }))
