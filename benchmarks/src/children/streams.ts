import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { StreamTool, streams, ToolStream } from '@toolwright/streams'
import { createHost } from 'toolwright'
import { WebSocketServer } from 'ws'
import { answerMessages } from '../child.js'

export interface EchoUrls {
  readonly bare: string
  readonly toolwright: string
}

class EchoTools {
  @StreamTool({ description: 'Sends back what it gets' })
  async echo(stream: ToolStream): Promise<void> {
    await stream.readable.pipeTo(stream.writable)
  }
}

/** Serves an echo of bytes over a bare WebSocket, and as a tool that streams. */
answerMessages(async (): Promise<EchoUrls> => {
  const bare = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  bare.on('connection', (socket) => socket.on('message', (data: Buffer) => socket.send(data)))
  await once(bare, 'listening')
  const host = await createHost({
    name: 'benchmark',
    version: '1.0.0',
    controllers: [EchoTools],
    webSocket: true,
    extensions: [streams()],
  })
  await host.listen({ host: '127.0.0.1', port: 0 })
  return { bare: urlOf(bare.address()), toolwright: `${urlOf(host.server.address())}/ws` }
})

function urlOf(address: unknown): string {
  return `ws://127.0.0.1:${(address as AddressInfo).port}`
}
