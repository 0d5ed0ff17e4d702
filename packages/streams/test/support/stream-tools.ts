import { createHash } from 'node:crypto'
import { Authorize, McpController, McpTool, Type } from '@toolwright/core'
import { StreamTool, ToolStream } from '@toolwright/streams'
import { createGate, type Gate } from '../../../../test/support/gate.js'
import { pieces } from './content.js'

const Size = Type.Object({ bytes: Type.Integer({ minimum: 0 }) })

const Values = Type.Object({ values: Type.Integer() })

/** State that tests share with the tools. */
export interface Shared {
  readonly gate: Gate
  /** Bytes or values that tools have written. */
  written: number
  /** Bytes that tools have read. */
  read: number
  readonly aborted: string[]
}

export let shared: Shared = createShared()

export function resetShared(): void {
  shared = createShared()
}

function createShared(): Shared {
  return { gate: createGate(), written: 0, read: 0, aborted: [] }
}

/** Counts the turns of the event loop. */
export function countTurns(): { turns: number; stop(): void } {
  const counter = { turns: 0, stop: () => clearImmediate(next) }
  const count = (): void => {
    counter.turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  return counter
}

@McpController()
export class StreamTools {
  @StreamTool({ description: 'Hashes an upload' })
  async hash(stream: ToolStream): Promise<object> {
    const hash = createHash('sha256')
    let bytes = 0
    for await (const chunk of stream.readable) {
      hash.update(chunk)
      bytes += chunk.length
    }
    return { bytes, sha256: hash.digest('hex'), name: stream.meta.name }
  }

  @StreamTool({ input: Size })
  async produce({ bytes }: { bytes: number }, stream: ToolStream): Promise<object> {
    stream.describe({ name: 'produced.bin', mime: 'application/octet-stream', totalSize: bytes })
    const writer = stream.writable.getWriter()
    for (const piece of pieces(bytes)) {
      await writer.write(piece)
      shared.written += piece.length
    }
    return { bytes }
  }

  @StreamTool()
  async echo(stream: ToolStream): Promise<void> {
    stream.describe({ method: 'result_echo' })
    await stream.readable.pipeTo(stream.writable)
  }

  @StreamTool({ stream: 'text' })
  async add(stream: ToolStream<number>): Promise<string> {
    const writer = stream.writable.getWriter()
    let sum = 0
    for await (const value of stream.readable) {
      sum += value
      await writer.write(sum)
    }
    return `sum ${sum}`
  }

  /** Reads nothing until the gate opens. */
  @StreamTool()
  async stall(stream: ToolStream): Promise<number> {
    stream.signal.addEventListener('abort', () => shared.aborted.push('stall'))
    await shared.gate.opened
    for await (const chunk of stream.readable) shared.read += chunk.length
    return shared.read
  }

  /** Waits for its client. */
  @StreamTool({ stream: 'text', idleTimeoutMs: 100 })
  async wait(stream: ToolStream<unknown>): Promise<void> {
    for await (const _ of stream.readable) shared.read++
  }

  /** Sends one value, and waits until the stream ends. */
  @StreamTool({ stream: 'text', idleTimeoutMs: 50 })
  async feed(stream: ToolStream<string>): Promise<string> {
    const writer = stream.writable.getWriter()
    await writer.write('first')
    await shared.gate.opened
    await writer.write('second')
    return 'over'
  }

  /** Lasts until the stream is aborted, or the server closes. */
  @StreamTool()
  async endless(stream: ToolStream): Promise<string> {
    stream.signal.addEventListener('abort', () => shared.aborted.push('endless'))
    await new Promise((resolve) => {
      stream.signal.addEventListener('abort', resolve)
      stream.closing.addEventListener('abort', resolve)
    })
    return 'closing'
  }

  /** Writes values from memory, and returns how often the event loop has turned meanwhile. */
  @StreamTool({ stream: 'text', input: Values })
  async pour({ values }: { values: number }, stream: ToolStream<number>): Promise<number> {
    const counter = countTurns()
    const writer = stream.writable.getWriter()
    try {
      for (let value = 0; value < values; value++) {
        await writer.write(value)
        shared.written++
      }
      return counter.turns
    } catch (error) {
      shared.aborted.push(String(error))
      throw error
    } finally {
      counter.stop()
    }
  }

  /** Reads chunks, and returns how often the event loop has turned since the first chunk. */
  @StreamTool()
  async drink(stream: ToolStream): Promise<number> {
    const counter = countTurns()
    for await (const _ of stream.readable) {
      if (shared.read === 0) counter.turns = 0
      shared.read++
    }
    counter.stop()
    return counter.turns
  }

  /** Reads nothing until the gate opens, and returns all values as JSON. */
  @StreamTool({ stream: 'text' })
  async later(stream: ToolStream<unknown>): Promise<string> {
    await shared.gate.opened
    const values: unknown[] = []
    for await (const value of stream.readable) values.push(value)
    return JSON.stringify(values)
  }

  /** Runs until the gate opens. */
  @StreamTool()
  async outlive(stream: ToolStream): Promise<string> {
    stream.closing.addEventListener('abort', () => shared.aborted.push('closing'))
    await shared.gate.opened
    return 'finished'
  }

  @StreamTool()
  async fail(stream: ToolStream): Promise<void> {
    await stream.writable.getWriter().write(Buffer.from('some'))
    throw new Error('secret')
  }

  @StreamTool({ maxBytes: 1000 })
  async small(stream: ToolStream): Promise<void> {
    for await (const chunk of stream.readable) shared.read += chunk.length
  }

  @StreamTool({ timeoutMs: 50 })
  async brief(): Promise<void> {
    await shared.gate.opened
  }

  @McpTool()
  plain(): string {
    return 'plain'
  }
}

@McpController()
export class RestrictedTools {
  @Authorize({ roles: ['writer'] })
  @StreamTool()
  async restricted(stream: ToolStream): Promise<string> {
    for await (const chunk of stream.readable) shared.read += chunk.length
    return 'written'
  }
}
