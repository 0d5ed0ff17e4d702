// All exports that a server needs, in one import.
import { printUncaughtBootErrors } from './print-uncaught.js'

export * from '@toolwright/auth'
export * from '@toolwright/core'
export { type StdioOptions, serveStdio } from '@toolwright/core/stdio'
export * from '@toolwright/fastify'
export { createHost, type HostFastifyOptions, type HostOptions } from './create-host.js'
export { serve } from './serve.js'

printUncaughtBootErrors()
