import { runCommand } from '../run-command.js'
import { listOf, RawServer } from '../support/raw-server.js'

const schema = {
  type: 'object',
  required: ['city'],
  properties: { city: { type: 'string', description: 'Name\u001B[2J of the city' }, days: { type: 'integer' } },
}

it('toolwright call URL TOOL --help shows the flags of the tool', async () => {
  const server = await RawServer.start({ 'tools/list': listOf('forecast', schema) })
  const { code, stdout } = await runCommand(['call', server.url, 'forecast', '--help'])
  await server.close()
  expect(stdout).toContain(
    'FLAGS OF forecast\n\n  --city    string  Name of the city (required)\n  --days    integer\n',
  )
  expect(code).toBe(0)
})

it('toolwright call URL TOOL --help says why the flags are unknown', async () => {
  const { code, stdout } = await runCommand(['call', 'http://127.0.0.1:1/mcp', 'forecast', '--help'])
  expect(stdout).toContain('The flags of the tool are unknown.\nCannot connect to http://127.0.0.1:1/mcp')
  expect(code).toBe(0)
})

it('toolwright call --help writes flags as the documentation does, in columns from the left', async () => {
  const { stdout } = await runCommand(['call', '--help'])
  expect(stdout).toMatch(/^ {2}--log-level=<level> +Lowest level/m)
  expect(stdout).toMatch(/^ {2}--client-id=<id> +OAuth/m)
  expect(stdout).not.toMatch(/^ {10,}--/m)
})
