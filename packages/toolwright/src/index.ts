// All exports that a server needs, in one import.
import { printUncaughtBootErrors } from './print-uncaught.js'

export * from '@toolwright/auth'
export * from '@toolwright/core'
export * from '@toolwright/fastify'
export * from '@toolwright/server'
// Of the two functions with this name, the one with all capabilities.
export { createServer, type ServerOptions } from '@toolwright/server'
export { type StdioOptions, serveStdio } from '@toolwright/server/stdio'
export { createHost, type HostFastifyOptions, type HostOptions } from './create-host.js'
export { serve } from './serve.js'

printUncaughtBootErrors()
