// Patterns of real servers, such as ^https\\:\\/\\/, are valid without the flag u. The error did not name the flag or a fix.
import { type JsonObject, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { z } from 'zod'

async function problemOf(tool: object): Promise<string> {
  const starting = createServer({
    name: 'patterns',
    version: '1.0.0',
    controllers: [],
    onReady: ({ catalog }) => {
      catalog.addTool({ name: 'run', ...tool, handler: () => 'done' })
    },
  })
  const error = await starting.then(
    () => undefined,
    (thrown: Error) => thrown,
  )
  return String(error?.message)
}

const ofString = (pattern: string): JsonObject => ({ type: 'object', properties: { v: { type: 'string', pattern } } })

describe('a pattern that only the flag u makes invalid', () => {
  it.each<[string, object, string, string]>([
    ['JSON Schema', { inputSchema: ofString('^https\\:\\/\\/') }, '^https\\:\\/\\/', 'Invalid escape'],
    ['a quantifier', { inputSchema: ofString('^${{.*}}$') }, '^${{.*}}$', 'Lone quantifier brackets'],
    ['names', { inputSchema: { type: 'object', patternProperties: { '^x\\-': {} } } }, '^x\\-', 'Invalid escape'],
    [
      'TypeBox',
      { input: Type.Object({ v: Type.String({ pattern: new RegExp('^a\\-b$') }) }) },
      '^a\\-b$',
      'Invalid escape',
    ],
    ['Zod', { input: z.object({ v: z.string().regex(new RegExp('^a\\@b$')) }) }, '^a\\@b$', 'Invalid escape'],
  ])('is reported with its fix: %s', async (_name, tool, pattern, reason) => {
    expect(await problemOf(tool)).toContain(
      `the input schema has the pattern '${pattern}', which is invalid with the flag u: ${reason}. ` +
        'JSON Schema always uses this flag. Escape only the characters ^ $ \\ . * + ? ( ) [ ] { } | and /',
    )
  })
})
