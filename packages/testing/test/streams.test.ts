import { McpController } from '@toolwright/core'
import { StreamTool, streams, ToolStream } from '@toolwright/streams'
import { connect, type EraName } from '@toolwright/testing'

@McpController()
class BoxTools {
  @StreamTool({ description: 'Counts bytes' })
  async countBytes(stream: ToolStream): Promise<{ bytes: number }> {
    let bytes = 0
    for await (const chunk of stream.readable) bytes += chunk.length
    return { bytes }
  }
}

const options = { name: 'box', version: '1.0.0', controllers: [BoxTools], extensions: [streams()] }

test.each<EraName>(['modern', 'legacy'])('a stream tool is tested over a WebSocket, %s', async (era) => {
  await using connection = await connect(options, { lane: 'websocket', era })
  const upload = await connection.streams<BoxTools>().countBytes()
  const writer = upload.writable.getWriter()
  await writer.write(new Uint8Array(5))
  await writer.close()
  expect(await upload.done).toStrictEqual({ bytes: 5 })
})

test('an open stream does not delay the end of a test', async () => {
  const connection = await connect(options, { lane: 'websocket' })
  const upload = await connection.streams<BoxTools>().countBytes()
  await connection.close()
  await expect(upload.done).rejects.toThrow('The connection was closed')
})
