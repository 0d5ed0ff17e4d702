import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '@toolwright/client'
import { McpContext, McpTool } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { pino } from 'pino'

class ClientTools {
  @McpTool({ description: 'Names the client' })
  nameClient(context: McpContext): string {
    return `${context.clientInfo?.name} ${context.clientInfo?.version}`
  }
}

test('a client sends the version of its package in its client info', async () => {
  const manifest = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8')) as { version: string }
  const server = await createServer({
    name: 'test',
    version: '1.0.0',
    controllers: [ClientTools],
    logger: pino({ level: 'silent' }),
  })
  await using client = await connect(server)
  // After a release: write the new version into src/version.ts.
  expect(await client.tools<ClientTools>().nameClient()).toBe(`toolwright-client ${manifest.version}`)
  await client.close()
  await server.close()
})
