import { type BootDiagnostic, BootError } from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { pino } from 'pino'

type Controllers = NonNullable<ServerOptions['controllers']>

/**
 * Boots a server with these options, and returns each boot problem as `code: message`. Empty when the server starts.
 */
export async function findDiagnostics(options: Partial<ServerOptions>): Promise<readonly string[]> {
  const diagnostics = await bootDiagnostics(options)
  return diagnostics.map(({ code, message }) => `${code}: ${message}`)
}

/** Like `findProblems`, for controllers. */
export function findMistakes(...controllers: Controllers): Promise<readonly string[]> {
  return findDiagnostics({ controllers })
}

async function bootDiagnostics(options: Partial<ServerOptions>): Promise<readonly BootDiagnostic[]> {
  try {
    const server = await createServer({ name: 'test', version: '1.0.0', logger: pino({ level: 'silent' }), ...options })
    await server.close()
    return []
  } catch (error) {
    if (error instanceof BootError) return error.diagnostics
    throw error
  }
}
