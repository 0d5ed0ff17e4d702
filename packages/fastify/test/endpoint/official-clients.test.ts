// The official clients resume streams that broke or were closed, over a network that loses connections.
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { closeApps, listen, openApp, type TestTool } from '../../../../test/support/client/index.js'
import { CuttingProxy } from '../../../../test/support/cutting-proxy.js'
import { delay } from '../../../../test/support/delay.js'
import { sessionOf } from '../support/sessions.js'

interface Progress {
  readonly progress: number
}

interface Connected {
  call(name: string, onProgress?: (progress: Progress) => void): Promise<unknown>
  onLog(listener: (data: unknown) => void): void
  sessionId(): string | undefined
  close(): Promise<void>
}

const info = { name: 'resuming', version: '1.0.0' }
const reconnectionOptions = {
  initialReconnectionDelay: 10,
  maxReconnectionDelay: 50,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 10,
}

async function connectOld(url: URL): Promise<Connected> {
  const client = new OldClient(info)
  const transport = new OldTransport(url, { reconnectionOptions })
  await client.connect(transport)
  return {
    call: (name, onprogress) => client.callTool({ name }, undefined, onprogress === undefined ? {} : { onprogress }),
    onLog: (listener) => {
      client.fallbackNotificationHandler = async ({ params }) => listener(params?.['data'])
    },
    sessionId: () => transport.sessionId,
    close: () => client.close(),
  }
}

async function connectNew(url: URL): Promise<Connected> {
  const client = new NewClient(info, { versionNegotiation: { mode: 'legacy' } })
  const transport = new NewTransport(url, { reconnectionOptions })
  await client.connect(transport)
  return {
    call: (name, onprogress) => client.callTool({ name }, onprogress === undefined ? {} : { onprogress }),
    onLog: (listener) => {
      client.fallbackNotificationHandler = async ({ params }) => listener((params as { data?: unknown }).data)
    },
    sessionId: () => transport.sessionId,
    close: () => client.close(),
  }
}

const tools: TestTool[] = [
  {
    name: 'close',
    handler: async (_args, context) => {
      context.closeStream()
      await delay(60)
      return 'the rest'
    },
  },
  {
    name: 'slow',
    handler: async (_args, context) => {
      for (let steps = 1; steps <= 20; steps++) {
        context.progress(steps)
        // oxlint-disable-next-line no-await-in-loop
        await delay(10)
      }
      return 'all of it'
    },
  },
]

afterEach(closeApps)

describe.each([
  ['1.x', connectOld],
  ['2.x', connectNew],
])('the official client %s', (_version, connect) => {
  it('reconnects for the result of a call whose stream the server closed', async () => {
    const app = await openApp({ tools, retryMs: 20 })
    const client = await connect(new URL(`http://127.0.0.1:${await listen(app)}/mcp`))

    expect(await client.call('close')).toStrictEqual({ content: [{ type: 'text', text: 'the rest' }] })

    await client.close()
  })

  it('gets all progress once, and the result, although its connections break', async () => {
    const app = await openApp({ tools, retryMs: 10 })
    const proxy = await CuttingProxy.open(await listen(app))
    const client = await connect(new URL(`http://127.0.0.1:${proxy.port}/mcp`))
    const seen: number[] = []

    const result = await client.call('slow', ({ progress }) => {
      seen.push(progress)
      if (progress === 5 || progress === 12) proxy.cut()
    })

    expect(result).toStrictEqual({ content: [{ type: 'text', text: 'all of it' }] })
    expect(seen).toStrictEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    await client.close()
    await proxy.close()
  })

  it('gets the messages of the GET stream that were sent while it was disconnected', async () => {
    const app = await openApp({ tools, retryMs: 10 })
    const proxy = await CuttingProxy.open(await listen(app))
    const client = await connect(new URL(`http://127.0.0.1:${proxy.port}/mcp`))
    const seen: unknown[] = []
    const all = new Promise<void>((resolve) => {
      client.onLog((data) => {
        seen.push(data)
        if (seen.length === 20) resolve()
      })
    })

    const session = sessionOf(app, String(client.sessionId()))
    for (let data = 1; data <= 20; data++) {
      const params = { level: 'info', data }
      session?.channel.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params }))
      // oxlint-disable-next-line no-await-in-loop
      await delay(5)
      if (data % 6 === 0) proxy.cut()
    }
    await all

    expect(seen).toStrictEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    await client.close()
    await proxy.close()
  })
})
