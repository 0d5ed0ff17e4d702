import { BootError } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { SumTools } from './tools.js'

/** Boots the server and calls its tool. Returns one line: the result, or the codes of the boot problems. */
export async function outcomeOf(): Promise<string> {
  try {
    const server = await createServer({ name: 'compiled', version: '1.0.0', controllers: [SumTools] })
    const { structuredContent } = await server.callTool('add', { a: 1, b: 2 })
    const [tool] = server.explain().tools
    await server.close()
    return `${tool?.output}: ${JSON.stringify(structuredContent)}`
  } catch (error) {
    if (!(error instanceof BootError)) throw error
    return [...new Set(error.diagnostics.map(({ code }) => code))].join()
  }
}
