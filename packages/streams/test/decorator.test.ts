import { McpTool } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { StreamTool, streams, ToolStream } from '@toolwright/streams'

test('mistakes in the options of stream tools are reported at boot, together with all others', async () => {
  class Files {
    @StreamTool({ stream: 'bytes' as never, idleTimeoutMs: '5s' as never, maxBytes: 0 })
    async upload(stream: ToolStream): Promise<void> {
      await stream.readable.cancel()
    }

    @StreamTool({ transports: ['http'], task: 'optional', idleTimeout: 5 } as never)
    async download(_stream: ToolStream): Promise<void> {}

    @(StreamTool as unknown as MethodDecorator)
    async follow(_stream: ToolStream): Promise<void> {}

    @StreamTool({ description: 'Copies' }, { stream: 'text' })
    async copy(_stream: ToolStream): Promise<void> {}

    @McpTool({ timeoutMs: 'long' as never })
    list(): void {}
  }

  const boot = createServer({ name: 'files', version: '1.0.0', controllers: [Files], extensions: [streams()] })
  const { diagnostics } = await boot.then(
    () => ({ diagnostics: [] }),
    (error: { diagnostics: { message: string }[] }) => error,
  )
  const messages = diagnostics.map(({ message }) => message)

  expect(messages).toEqual(
    expect.arrayContaining([
      "Files.upload: stream is the string 'bytes'. Give 'binary' or 'text'.",
      "Files.upload: idleTimeoutMs is the string '5s'. Give a whole number of at least 1.",
      'Files.upload: maxBytes is 0. Give a whole number of at least 1.',
      'Files.download: transports is not an option of @StreamTool. Remove it.',
      'Files.download: task is not an option of @StreamTool. Remove it.',
      expect.stringMatching(/^Files\.download: @McpTool has no option 'idleTimeout'/),
      "@StreamTool on 'Files.follow' has no parentheses. Write @StreamTool().",
      expect.stringMatching(/^Files\.copy: @McpTool expects a name before the options/),
      expect.stringMatching(/^Files\.list: timeoutMs/),
    ]),
  )
})

test('options can follow a name', async () => {
  class Files {
    @StreamTool('send', { description: 'Sends', stream: 'text', idleTimeoutMs: Infinity })
    async upload(_stream: ToolStream): Promise<void> {}

    @StreamTool({ description: 'Follows' })
    async follow(_stream: ToolStream): Promise<void> {}
  }
  const server = await createServer({ name: 'files', version: '1.0.0', controllers: [Files], extensions: [streams()] })

  expect(server.catalog.tools.all.map(({ name }) => name)).toEqual(['follow', 'send'])
  await server.close()
})
