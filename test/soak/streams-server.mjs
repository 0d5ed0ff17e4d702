// A program whose tools stream: hashes, echoes, produces, and stalls. Reports its memory when it is asked.
import { createHash } from 'node:crypto'
import { StreamTool, streams, ToolStream } from '@toolwright/streams'
import { AllowAnonymous, createHost, Inject, Type } from 'toolwright'
import { watchTurns } from './probes.mjs'
import { pieces } from './streams-content.mjs'

class StreamTools {
  async hash(stream) {
    const hash = createHash('sha256')
    for await (const chunk of stream.readable) hash.update(chunk)
    return hash.digest('hex')
  }

  async produce({ bytes }, stream) {
    const writer = stream.writable.getWriter()
    for (const piece of pieces(bytes)) await writer.write(piece)
  }

  async echo(stream) {
    await stream.readable.pipeTo(stream.writable)
  }

  /** Writes values from memory until the stream is over. */
  async pour(stream) {
    const writer = stream.writable.getWriter()
    for (let value = 0; !stream.closing.aborted; value++) await writer.write({ value, text: 'a value' })
  }

  /** Writes bytes from memory until the stream is over. */
  async pour_bytes(stream) {
    const writer = stream.writable.getWriter()
    for (const piece = Buffer.alloc(16 * 1024, 7); !stream.closing.aborted; ) await writer.write(piece)
  }

  /** Reads nothing until it is aborted. */
  async stall(stream) {
    await new Promise((resolve) => stream.signal.addEventListener('abort', resolve))
  }
}

// By hand, because Node runs no decorators.
const options = {
  hash: {},
  echo: {},
  stall: {},
  pour: { stream: 'text' },
  pour_bytes: {},
  produce: { input: Type.Object({ bytes: Type.Integer() }) },
}
for (const [name, tool] of Object.entries(options)) {
  const { prototype } = StreamTools
  Inject(ToolStream)(prototype, name, 'input' in tool ? 1 : 0)
  const method = Object.getOwnPropertyDescriptor(prototype, name)
  StreamTool({ ...tool, description: name })(prototype, name, method)
  AllowAnonymous()(prototype, name, method)
}

/** The token `brief` expires soon. All other callers are anonymous. */
const authentication = {
  authenticate: ({ headers }) => {
    if (headers.authorization === undefined) return null
    const expiresAt = (Date.now() + Number(process.env.EXPIRES_AFTER_MS)) / 1000
    return { subject: 'brief', roles: [], scopes: [], claims: {}, expiresAt }
  },
}

const host = await createHost({
  name: 'soak',
  version: '1.0.0',
  controllers: [StreamTools],
  webSocket: true,
  extensions: [streams({ maxStreams: 1000, maxOpenStreams: 2000 })],
  authentication,
  allowAnonymous: true,
  fastify: { logger: false },
  drainTimeoutMs: 0,
})
await host.listen({ host: '127.0.0.1', port: 0 })
const turns = watchTurns()
process.on('message', (question) => {
  // Watching takes processor time, so it begins with the first question about turns.
  if (question === 'turns') {
    const longest = turns.end()
    turns.begin()
    process.send(longest)
    return
  }
  globalThis.gc?.()
  const open = host.mcp.gauges.all.find(({ name }) => name === 'streams_open')?.read() ?? 0
  const { heapUsed, external } = process.memoryUsage()
  process.send({ open, inFlight: host.mcp.metrics().inFlight.value, used: heapUsed + external })
})
process.on('disconnect', () => process.exit())
process.send({ url: `ws://127.0.0.1:${host.server.address().port}/ws` })
