// Workers allow code generation while modules are loaded, and forbid it later. Schemas that were compiled while modules were loaded
// made TypeBox believe that it is always allowed, so that the first request failed.
import { join } from 'node:path'
import { runTypeScript } from '../../../../../test/support/run-typescript.js'

test('a server without code generation interprets its schemas', async () => {
  const program = join(__dirname, '..', '..', 'fixtures', 'no-code-generation.ts')

  expect(await runTypeScript(program)).toEqual({
    askedByModules: 0,
    texts: [
      '{"count":1}',
      "Invalid arguments for tool 'typed': 'list/1' must be a string, got a number.",
      "Invalid arguments for tool 'typed': 'list/1999' must be a string, got a number.",
      'counted',
      "Invalid arguments for tool 'plain': 'next/next/count' must be an integer, got a string.",
    ],
  })
})
