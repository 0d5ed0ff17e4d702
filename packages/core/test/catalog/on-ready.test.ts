import { setTimeout as sleep } from 'node:timers/promises'
import { BootError, injectable, McpTool } from '@toolwright/core'
import { createServer, type ServerOptions } from '@toolwright/server'
import { connect, lanes } from '@toolwright/testing'
import { pino } from 'pino'
import { findDiagnostics } from '../boot/find-problems.js'

const base = { name: 'ready', version: '1.0.0', logger: pino({ level: 'silent' }) }

describe.each(lanes)('onReady: $lane, $era', (lane) => {
  it('is awaited, and features that it adds are available to the first request', async () => {
    const onReady: ServerOptions['onReady'] = async ({ catalog }) => {
      await sleep(5)
      catalog.addTool({ name: 'fetched', handler: () => 'fetched' })
    }
    await using connection = await connect({ ...base, onReady }, lane)
    const { tools } = await connection.client.listTools()

    expect(tools.map(({ name }) => name)).toEqual(['fetched'])
    expect((await connection.client.callTool({ name: 'fetched' })).content).toEqual([{ type: 'text', text: 'fetched' }])
  })
})

describe('onClose', () => {
  const done: string[] = []

  @injectable()
  class Tools {
    @McpTool()
    use(): void {}

    dispose(): void {
      done.push('disposed')
    }
  }

  async function onClose(): Promise<void> {
    await sleep(5)
    done.push('closed')
  }

  beforeEach(() => {
    done.length = 0
  })

  it('is called and awaited once, after everything else is closed', async () => {
    const server = await createServer({ ...base, controllers: [Tools], onClose })
    await Promise.all([server.close(), server.close()])

    expect(done).toEqual(['disposed', 'closed'])
  })

  it('is called although onReady or a disposal has failed', async () => {
    const onReady = (): never => {
      throw new Error('there is no such table')
    }
    await expect(createServer({ ...base, controllers: [Tools], onReady, onClose })).rejects.toThrow('no such table')
    expect(done).toEqual(['disposed', 'closed'])

    @injectable()
    class Failing extends Tools {
      override dispose(): void {
        throw new Error('it was never connected')
      }
    }
    const server = await createServer({ ...base, controllers: [Failing], onClose })
    await expect(server.close()).rejects.toThrow('it was never connected')
    expect(done).toEqual(['disposed', 'closed', 'closed'])
  })

  it('is reported at boot if it is not a function', async () => {
    expect(await findDiagnostics({ controllers: [Tools], onClose: true } as never)).toEqual([
      'bad-option: onClose is true. Give a function.',
    ])
  })
})

describe('onReady', () => {
  it('prevents the server from starting if it fails, and created instances are disposed', async () => {
    const disposed: string[] = []
    const failure = new Error('the database is down')

    @injectable()
    class Tools {
      @McpTool()
      use(): void {}

      dispose(): void {
        disposed.push('tools')
        throw new Error('it was never connected')
      }
    }
    const lines: string[] = []
    const logger = pino({}, { write: (line: string) => void lines.push(line) })
    const booting = createServer({
      ...base,
      logger,
      controllers: [Tools],
      onReady: () => {
        throw failure
      },
    })

    await expect(booting).rejects.toBe(failure)
    expect(disposed).toEqual(['tools'])
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: 50, msg: 'closing after onReady failed', err: { message: 'it was never connected' } },
    ])
  })

  it('fails with the boot problems of invalid features that it adds', async () => {
    const booting = createServer({
      ...base,
      controllers: [],
      onReady: ({ catalog }) => catalog.addTool({ name: 'no name', handler: () => '' }),
    })

    await expect(booting).rejects.toThrow(BootError)
    await expect(booting).rejects.toThrow("Tool 'no name' cannot be added: 1 problem found.")
  })

  it.each<[string, NonNullable<ServerOptions['onReady']>]>([
    ['a tool', ({ catalog }) => catalog.addTool({ name: 'a', handler: () => '' })],
    ['a prompt', ({ catalog }) => catalog.addPrompt({ name: 'a', handler: () => '' })],
    ['a resource', ({ catalog }) => catalog.addResource({ name: 'a', uri: 'a://a', handler: () => '' })],
    ['a template', ({ catalog }) => catalog.addResource({ name: 'a', uri: 'a://{a}', handler: () => '' })],
  ])('is enough to start a server if it adds %s', async (_what, onReady) => {
    expect(await findDiagnostics({ onReady })).toEqual([])
  })

  it('is not enough to start a server if it adds nothing, unless the option controllers is an empty list', async () => {
    const onReady = (): void => undefined
    const nothing =
      'bad-option: Nothing to serve: onReady added nothing. Give `controllers: [MyTools]`, or `controllers: []` when ' +
      'features come later.'

    expect(await findDiagnostics({ onReady })).toEqual([nothing])
    expect(await findDiagnostics({ onReady, controllers: [] })).toEqual([])
  })

  it('must be a function', async () => {
    expect(await findDiagnostics({ controllers: [], onReady: { catalog: [] } as never })).toEqual([
      'bad-option: onReady is a plain object. Give a function that takes the server.',
    ])
    expect(await findDiagnostics({ onReady: {} as never })).toEqual([
      'bad-option: onReady is a plain object. Give a function that takes the server.',
      "bad-option: Nothing to serve: give `scan: new URL('./tools/', import.meta.url)` or `controllers: [MyTools]`.",
    ])
  })
})
