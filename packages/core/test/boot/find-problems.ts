import { BootError, type BootProblem, createServer, type ServerOptions } from '@toolwright/core'
import { pino } from 'pino'

type Controllers = NonNullable<ServerOptions['controllers']>

/** What boot finds wrong with some options, each problem as `code: message`. Empty when the server starts. */
export async function findProblems(options: Partial<ServerOptions>): Promise<readonly string[]> {
  const problems = await bootProblems(options)
  return problems.map(({ code, message }) => `${code}: ${message}`)
}

/** The same for classes. */
export function findMistakes(...controllers: Controllers): Promise<readonly string[]> {
  return findProblems({ controllers })
}

async function bootProblems(options: Partial<ServerOptions>): Promise<readonly BootProblem[]> {
  try {
    const server = await createServer({ name: 'test', version: '1.0.0', logger: pino({ level: 'silent' }), ...options })
    await server.close()
    return []
  } catch (error) {
    if (error instanceof BootError) return error.problems
    throw error
  }
}
