import { inspect } from 'node:util'
import { McpTool } from '@toolwright/core'
import { createServer } from '@toolwright/server'

class BrokenTools {
  constructor() {
    throw new Error('no database')
  }

  @McpTool()
  find(): void {}
}

test('an uncaught boot error is printed with each mistake once', async () => {
  const error: unknown = await createServer({ name: '', version: '1.0.0' }).catch((thrown: unknown) => thrown)
  expect(inspect(error)).toBe(
    [
      '[BootError: The server cannot start: 2 problems found.',
      "  1. name is the string ''. Give the server a name: clients show it. [bad-option]",
      "  2. Nothing to serve: give `scan: new URL('./tools/', import.meta.url)` or `controllers: [MyTools]`. [bad-option]]",
    ].join('\n'),
  )
})

test('a boot error is printed with the stack of the constructor that threw', async () => {
  const error: unknown = await createServer({ name: 'test', version: '1.0.0', controllers: [BrokenTools] }).catch(
    (thrown: unknown) => thrown,
  )
  expect(inspect(error)).toMatch(/\[cause\]: Error: no database\n\s+at new BrokenTools/)
})
