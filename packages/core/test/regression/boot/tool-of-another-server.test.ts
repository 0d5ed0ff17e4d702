// A tool from the list of another server could not be added: servers with version 1 of the official SDK list `execution`.
import { createServer } from '@toolwright/server'

test('a tool of the list of another server can be added', async () => {
  const listed = {
    name: 'read',
    title: 'Read',
    description: 'Reads a file',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    annotations: { readOnlyHint: true },
    execution: { taskSupport: 'forbidden' },
    _meta: { 'example.com/a': 1 },
  }
  const server = await createServer({ name: 'bridge', version: '1.0.0', controllers: [] })
  server.catalog.addTool({ ...listed, handler: ({ path }) => `read ${String(path)}` })

  expect(await server.callTool('read', { path: '/a' })).toMatchObject({ content: [{ type: 'text', text: 'read /a' }] })
  const { execution: _unused, ...others } = listed
  expect(await server.listTools()).toEqual([others])
  await server.close()
})

test('the error of an annotation of another server names _meta', async () => {
  const server = await createServer({ name: 'bridge', version: '1.0.0', controllers: [] })
  const annotations: object = { confirmationHint: true }

  expect(() => server.catalog.addTool({ name: 'a', annotations, handler: () => '' })).toThrow(
    'annotations.confirmationHint is not an option. Give one of destructiveHint, idempotentHint, openWorldHint, ' +
      'readOnlyHint, title, or put your own members into _meta.',
  )
  await server.close()
})
