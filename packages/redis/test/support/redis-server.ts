import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connectRedis, type Redis, type RedisOptions } from '@toolwright/redis'
import pino from 'pino'
import { CuttingProxy } from '../../../../test/support/cutting-proxy.js'

/** URL of your own server for these tests; by default they start one. */
const { TOOLWRIGHT_TEST_REDIS_URL: given } = process.env

/** A Redis for tests, with a proxy in front of it. */
export class RedisServer {
  readonly #opened: Redis[] = []
  readonly #stops: (() => void)[] = []

  #url: URL | null = null
  #proxy: CuttingProxy | null = null
  #child: ChildProcess | null = null

  /**
   * A server for the tests of a file, each of which begins without open connections. @param closeUsers Closes all users
   * of the server.
   */
  static forTests(closeUsers: () => Promise<void> = async () => undefined): RedisServer {
    const server = new RedisServer()
    beforeAll(() => server.#start())
    afterEach(async () => {
      server.proxy.comeBack()
      await closeUsers()
      await server.#closeAll()
    })
    afterAll(() => server.#stop())
    return server
  }

  /** Through the proxy. */
  get url(): string {
    return (this.#url as URL).href
  }

  get proxy(): CuttingProxy {
    return this.#proxy as CuttingProxy
  }

  async #start(): Promise<void> {
    const url = new URL(given ?? `redis://127.0.0.1:${await this.#fork()}`)
    this.#proxy = await CuttingProxy.open(Number(url.port === '' ? 6379 : url.port), url.hostname)
    url.host = `127.0.0.1:${this.#proxy.port}`
    this.#url = url
  }

  async #fork(): Promise<number> {
    const child = fork(join(__dirname, 'valkey.mjs'), {
      execArgv: ['--no-warnings'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const ended = once(child, 'exit').then(() => {
      throw new Error('Valkey did not start')
    })
    const [port] = (await Promise.race([once(child, 'message'), ended])) as [number]
    ended.catch(() => undefined)
    this.#child = child
    return port
  }

  /** Connections of one node, which end with the test. Nodes with the same prefix share data. */
  async connect(options: RedisOptions = {}): Promise<Redis> {
    const logger = pino({ level: 'silent' })
    const redis = await connectRedis({ url: this.url, prefix: newPrefix(), logger, ...options })
    this.#opened.push(redis)
    return redis
  }

  /** Runs a command of an operator, without a password. @returns The raw reply. */
  async command(line: string): Promise<string> {
    const socket = connect(this.proxy.port, '127.0.0.1')
    socket.write(`${line}\r\nQUIT\r\n`)
    return text(socket)
  }

  /** Ends a subscription with the test: connections stay open while there are subscriptions. */
  stopLater(stop: () => void): void {
    this.#stops.push(stop)
  }

  async #closeAll(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop()
    await Promise.all(this.#opened.splice(0).map((redis) => redis.close()))
  }

  async #stop(): Promise<void> {
    await this.proxy.close()
    if (this.#child === null) return
    this.#child.disconnect()
    await once(this.#child, 'exit')
  }
}

export function newPrefix(): string {
  return `test:${randomUUID()}:`
}
