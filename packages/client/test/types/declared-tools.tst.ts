// Compiled with the other tests and never run: tools that a declaration file describes.
import { type AnyTools, connect, type McpClient, type ToolContent } from '@toolwright/client'
import { expectSame } from '../../../core/test/types/expect-type.js'

/** As `toolwright types` writes it. */
export interface Tools {
  add: { arguments: { a: number; b: number }; result: { sum: number } }
  'list-files': { arguments: { folder?: string }; result: ToolContent }
  ping: { arguments: Record<string, never>; result: undefined }
}

export async function use(): Promise<void> {
  const client = await connect<Tools>('http://127.0.0.1:3000/mcp')
  expectSame<typeof client, McpClient<Tools>>()
  const { sum } = await client.call('add', { a: 1, b: 2 }, { timeoutMs: 100 })
  expectSame<typeof sum, number>()
  const files = await client.call('list-files')
  expectSame<typeof files, ToolContent>()
  await client.call('ping')

  // @ts-expect-error: there is no such tool
  await client.call('subtract', { a: 1, b: 2 })
  // @ts-expect-error: the arguments are missing
  await client.call('add')
  // @ts-expect-error: an argument is missing
  await client.call('add', { a: 1 })
  // @ts-expect-error: an argument has another type
  await client.call('add', { a: 1, b: '2' })
  // @ts-expect-error: the result has no such member
  void (await client.call('add', { a: 1, b: 2 })).total

  const untyped = await connect('http://127.0.0.1:3000/mcp')
  expectSame<typeof untyped, McpClient<AnyTools>>()
  const anything = await untyped.call('add', { a: 1, b: 2 })
  expectSame<typeof anything, unknown>()
}
