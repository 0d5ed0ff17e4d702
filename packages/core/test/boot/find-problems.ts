import { type BootDiagnostic, BootError, createServer, type ServerOptions } from '@toolwright/core'
import { pino } from 'pino'

type Controllers = NonNullable<ServerOptions['controllers']>

/** What boot finds wrong with some options, each problem as `code: message`. Empty when the server starts. */
export async function findDiagnostics(options: Partial<ServerOptions>): Promise<readonly string[]> {
  const diagnostics = await bootDiagnostics(options)
  return diagnostics.map(({ code, message }) => `${code}: ${message}`)
}

/** The same for classes. */
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
