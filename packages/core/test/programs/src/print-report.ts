// Scans the given folders, and prints the report.
import { BootError } from '@toolwright/core'
import { createServer } from '@toolwright/server'

export async function printReport(...scan: readonly (string | URL)[]): Promise<void> {
  try {
    const server = await createServer({ name: 'scan', version: '1.0.0', scan })
    process.stdout.write(`${String(server.explain())}\n`)
    await server.close()
  } catch (error) {
    if (!(error instanceof BootError)) throw error
    process.stdout.write(`${error.message}\n`)
  }
}
