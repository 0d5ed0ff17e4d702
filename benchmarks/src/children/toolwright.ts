import { createBenchmarkHost } from '../benchmark-host.js'
import { serveAsTold } from '../served.js'

serveAsTold(({ tools }: { tools: number }) => createBenchmarkHost(tools - 1))
