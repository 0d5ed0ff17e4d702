import { once } from 'node:events'
import { connect } from '@toolwright/client'
import { WebSocket } from 'ws'
import { Child } from './child.js'
import type { EchoUrls } from './children/streams.js'
import { quantile } from './quantile.js'
import type { Settings } from './settings.js'

const piece = new Uint8Array(64 * 1024).fill(7)

/** Number of pieces that the client of the bare echo sends ahead of the echo: as many bytes as two windows of a stream. */
const inFlight = 16

/**
 * Measures the throughput of bytes in both directions at once, relative to an echo over a bare WebSocket in the same process.
 * The two are timed in turn.
 */
export async function timeStreams({ launches, rounds, seconds }: Settings): Promise<string> {
  const ratios: number[] = []
  const rates: number[] = []
  for (let launch = 0; launch < launches; launch++) {
    const child = new Child('streams')
    try {
      const urls = await child.ask<EchoUrls>({})
      await timeEchoes(urls, seconds)
      for (let round = 0; round < rounds; round++) {
        const { bare, toolwright } = await timeEchoes(urls, seconds)
        ratios.push(toolwright / bare)
        rates.push(toolwright)
      }
    } finally {
      await child.stop()
    }
  }
  const megabytes = Math.round(quantile(rates, 0.5) / 1e6)
  return `${quantile(ratios, 0.5).toFixed(2)} of a bare echo, ${megabytes} MB/s each way`
}

async function timeEchoes(urls: EchoUrls, seconds: number): Promise<{ bare: number; toolwright: number }> {
  return { bare: await timeBare(urls.bare, seconds), toolwright: await timeTool(urls.toolwright, seconds) }
}

/** @returns Bytes in a second. */
async function timeBare(url: string, seconds: number): Promise<number> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  await once(socket, 'open')
  let received = 0
  const began = performance.now()
  socket.on('message', (data: Buffer) => {
    received += data.length
    if (performance.now() - began < seconds * 1000) socket.send(piece)
    else socket.close()
  })
  for (let sent = 0; sent < inFlight; sent++) socket.send(piece)
  await once(socket, 'close')
  return received / ((performance.now() - began) / 1000)
}

/** @returns Bytes in a second. */
async function timeTool(url: string, seconds: number): Promise<number> {
  await using client = await connect(url)
  const stream = await client.stream('echo')
  const began = performance.now()
  const [received] = await Promise.all([count(stream.readable), writeFor(seconds, stream.writable)])
  await stream.done
  return received / ((performance.now() - began) / 1000)
}

async function count(readable: ReadableStream<Uint8Array>): Promise<number> {
  let received = 0
  for await (const chunk of readable) received += chunk.length
  return received
}

async function writeFor(seconds: number, writable: WritableStream<Uint8Array>): Promise<void> {
  const writer = writable.getWriter()
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) await writer.write(piece)
  await writer.close()
}
