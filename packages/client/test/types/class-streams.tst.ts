// Compiled with the other tests and never run: the types of a class's stream tools.
import type { ClientStream, McpClient } from '@toolwright/client'
import type { McpContext } from '@toolwright/core'
import type { ToolStream } from '@toolwright/streams'
import { expectSame } from '../../../core/test/types/expect-type.js'

declare class Files {
  upload(args: { name: string; sha256?: string }, stream: ToolStream, context: McpContext): Promise<{ at: Date }>
  follow(stream: ToolStream<{ level: number }, { at: Date }>): Promise<void>
  list(): string[]
  count(args: { of: string }, context: McpContext): number
}

declare const client: McpClient
const files = client.streams<Files>()

export async function use(): Promise<void> {
  const upload = await files.upload({ name: 'today.csv' })
  expectSame<typeof upload, ClientStream<Uint8Array, Uint8Array, { at: string }>>()
  const feed = await files.follow(undefined, { signal: new AbortController().signal })
  // The client writes what the tool reads, and reads what the tool writes.
  expectSame<typeof feed, ClientStream<{ at: string }, { level: number }, undefined>>()
  const [first] = await client.tools<Files>().list()
  expectSame<typeof first, string | undefined>()

  // @ts-expect-error: the arguments are missing
  await files.upload()
  // @ts-expect-error: there is no such argument
  await files.upload({ name: 'today.csv', size: 1 })
  // @ts-expect-error: the tool has no arguments
  await files.follow({ level: 1 })
  // @ts-expect-error: the tool does not stream
  await files.count({ of: 'files' })
  // @ts-expect-error: the tool streams, so that a call has no result
  await client.tools<Files>().upload({ name: 'today.csv' })
  // @ts-expect-error: a chunk has another type
  await feed.writable.getWriter().write({ level: 'high' })
  // @ts-expect-error: bytes are expected
  await upload.writable.getWriter().write('text')
}
