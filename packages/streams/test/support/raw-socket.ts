// A WebSocket whose frames are laid out by hand.
import { once } from 'node:events'
import { type ClientOptions, WebSocket } from 'ws'

// oxlint-disable-next-line typescript/no-explicit-any
type Frame = any

export class RawSocket {
  readonly #arrived: Frame[] = []
  readonly #expecting: ((frame: Frame) => void)[] = []
  /** Code and reason of the close frame. */
  readonly closed: Promise<readonly [code: number, reason: string]>

  constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      const frame: Frame = isBinary ? data : JSON.parse(data.toString())
      const next = this.#expecting.shift()
      if (next === undefined) this.#arrived.push(frame)
      else next(frame)
    })
    socket.on('error', () => undefined)
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve([code, String(reason)]))
    })
  }

  send(frame: object | string | Buffer): void {
    this.socket.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame))
  }

  /** The next frame: JSON, or a buffer. */
  next(): Promise<Frame> {
    if (this.#arrived.length > 0) return Promise.resolve(this.#arrived.shift())
    return new Promise((resolve) => this.#expecting.push(resolve))
  }

  /** Returns the frames up to the first of a type, including that frame. */
  async until(type: string, id?: string): Promise<Frame[]> {
    const frames: Frame[] = []
    for (;;) {
      const frame = await this.next()
      frames.push(frame)
      if (frame.type === type && (id === undefined || frame.id === id)) return frames
    }
  }

  close(): void {
    this.socket.close()
  }
}

const opened: RawSocket[] = []

export async function openRaw(url: string, options: ClientOptions = {}): Promise<RawSocket> {
  const socket = new WebSocket(url, options)
  const raw = new RawSocket(socket)
  opened.push(raw)
  await once(socket, 'open')
  return raw
}

export function closeSockets(): void {
  for (const { socket } of opened.splice(0)) socket.terminate()
}

const timestamp = '2026-01-31T09:00:00+00:00'

/** The first message of a client of MCP Gateway. */
export function start(id: string, method: string, meta: object = { binary: true }): object {
  return { type: 'start', id, timestamp, meta: { method, ...meta } }
}

/** The same with flow control. */
export function startWithWindow(id: string, method: string, meta: object = {}): object {
  return start(id, method, { binary: true, window: 65_536, ...meta })
}

export function done(id: string, summary: object = {}): object {
  return { type: 'done', id, timestamp, summary }
}

export function chunk(id: string, index: number, data: unknown): object {
  return { type: 'chunk', id, timestamp, index, data }
}

export function errorOf(id: string, message = 'stop'): object {
  return { type: 'error', id, timestamp, error: { code: -32000, message } }
}

/** 00112233-4455-6677-8899-aabbccddeeff, and its 16 bytes as .NET writes them. */
export const guid = '00112233-4455-6677-8899-aabbccddeeff'
export const guidBytes = '33221100554477668899aabbccddeeff'

/** A binary chunk from the hexadecimal text of its GUID. */
export function binaryChunk(guidHex: string, index: number, payload: string | Buffer): Buffer {
  const counter = Buffer.alloc(8)
  counter.writeBigInt64LE(BigInt(index))
  return Buffer.concat([Buffer.from(guidHex, 'hex'), counter, Buffer.from(payload)])
}
