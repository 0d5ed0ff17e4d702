import type { JwtBearerOptions } from 'toolwright'
import { createBenchmarkHost } from '../benchmark-host.js'
import { serveAsTold } from '../served.js'

interface Config {
  readonly tools: number
  readonly hooked: boolean
  readonly asynchronous: boolean
  readonly jwks: JwtBearerOptions['jwks'] | null
}

serveAsTold(({ tools, ...config }: Config) => createBenchmarkHost({ ...config, moreTools: tools - 1 }))
