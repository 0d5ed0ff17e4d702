import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeListenError } from '@toolwright/server/program'
import type { FastifyInstance, FastifyListenOptions } from 'fastify'
import type { Caller, HostOptions, McpServer } from 'toolwright'
import type { DevHost, DevMount, DevParts, DevStores } from 'toolwright/dev'
import { Attempt, Attempts } from './attempts.js'
import { describeFailure, shortPath } from './describe-failure.js'
import { drainMs, extendOptions, extendPlugin, printing } from './extend-options.js'
import { isPartOf } from './file-filter.js'
import type { FileChange, FolderWatcher } from './folder-watcher.js'
import { GroupedBoxes } from './grouped-boxes.js'
import { HttpFront, type Pages } from './http-front.js'
import { createInspector, inspectorPathAt, mountInspector } from './inspector.js'
import { interceptListen } from './intercept-listen.js'
import { compareLists, type ListDifference, type Lists, readLists } from './list-differences.js'
import { listenOnFreePort } from './listen-on-free-port.js'
import { findProgramFiles, type ProgramFiles, watchProgramFiles } from './program-files.js'
import { type Addresses, printReload, printSlowSchemas, printStart } from './program-summary.js'
import type { ProjectModules } from './project-modules.js'
import { countRegistrations, dropReplaced } from './registrations.js'
import type { StdioRelay } from './stdio-relay.js'
import type { Terminal } from './terminal.js'

export interface DevServerOptions {
  readonly root: string
  readonly entry: string
  readonly host: string | undefined
  readonly port: number | undefined
  readonly hasInspector: boolean
  readonly modules: ProjectModules
  readonly watcher: FolderWatcher
  readonly terminal: Terminal
  readonly stream: NodeJS.WriteStream
  /** Relay for a server over stdio; `null` over HTTP. */
  readonly relay: StdioRelay | null
  /** Called with the addresses when the first version is served. */
  readonly onStart: (addresses: Addresses) => void
  readonly onListenError: () => void
}

const taskPollMs = 100

/** Milliseconds after which a loaded program that serves nothing is reported. */
const patienceMs = 3000

/** Milliseconds after which a program whose modules are not loaded yet is reported. */
const loadPatienceMs = 5000

interface Version {
  readonly attempt: Attempt
  readonly server: McpServer
  readonly lists: Lists
  readonly close: () => Promise<unknown>
}

/** Loads a program again after changes, and serves the latest version that could start. */
export class DevServer implements DevHost {
  readonly beingEvaluated: ReadonlySet<string>
  readonly #attempts = new Attempts()
  readonly #key = randomBytes(32)
  #version: Version | null = null
  #stores: DevStores | null = null
  #parts: DevParts | null = null
  #front: HttpFront | null = null
  #origin: string | null = null
  #address: { readonly host: string; readonly port: number } = { host: '127.0.0.1', port: 3000 }
  #switching: Promise<void> = Promise.resolve()
  readonly #boxes: GroupedBoxes

  constructor(private readonly options: DevServerOptions) {
    this.beingEvaluated = new Set([options.entry])
    this.#boxes = new GroupedBoxes(options.terminal)
  }

  get isStdio(): boolean {
    return this.options.relay !== null
  }

  /** Loads the program. The previous version serves until the new one is ready. */
  async load(changes: readonly FileChange[]): Promise<void> {
    const { modules, entry, terminal } = this.options
    // After a failure, the compiled code may have imports that could not be resolved.
    if (this.#attempts.latest?.hasFailed === true) modules.forget()
    for (const change of changes) modules.changed(change)
    const counts = this.#parts === null ? new Map<unknown, number>() : countRegistrations(this.#parts.container)
    const attempt = new Attempt(modules.createRunner(), changes, counts)
    // Watches before the program runs: a change of a program that never ends its start must load it again.
    this.#watchFiles()
    const isPending = (): boolean => attempt === this.#attempts.latest && !attempt.hasServed && !attempt.hasFailed
    const timer = setTimeout(() => {
      if (isPending()) terminal.print(`${terminal.style('yellow', 'still starting')}: ${this.#describeWait()}`)
    }, loadPatienceMs).unref()
    try {
      await this.#attempts.run(attempt, () => attempt.runner.import(entry))
      clearTimeout(timer)
      this.#watchFiles()
      await sleep(patienceMs, undefined, { ref: false })
      if (!isPending() || attempt.isHost) return
      const advice = 'the program should call serve({ … }), or listen with an application that mounts the plugin'
      terminal.print(`${terminal.style('yellow', 'no server yet')}: ${advice}`)
    } catch (error) {
      this.#fail(attempt, error)
    } finally {
      clearTimeout(timer)
    }
  }

  #describeWait(): string {
    const { entry, root } = this.options
    const then = this.#version === null ? 'Save a file to start again' : 'The previous version keeps serving'
    return `${shortPath(entry, root)} still waits for an \`await\` at its top level. ${then}.`
  }

  isAffectedBy(change: FileChange): boolean {
    if (isPartOf(change, this.#files())) return true
    return this.#attempts.latest?.hasFailed === true && this.options.modules.canResolve(change.file)
  }

  importModule(file: string): Promise<object> {
    return this.#attempts.current().runner.import(file)
  }

  extend(given: HostOptions, parts: DevParts): HostOptions {
    const attempt = this.#attempts.current()
    if (attempt.options !== null)
      throw new Error('The program starts a second server, but `toolwright dev` can run only one.')
    attempt.isHost = true
    const stores = this.#begin(attempt, given, parts)
    const { terminal, stream } = this.options
    return extendOptions(given, { parts, stores, key: this.#key, terminal, stream, isStdio: this.isStdio })
  }

  extendPlugin<Options extends HostOptions>(given: Options, parts: DevParts): Options {
    const attempt = this.#attempts.current()
    const { terminal } = this.options
    // The stores belong to the first server of the program.
    if (attempt.options !== null) return { ...given, ...printing(given, terminal, parts) }
    const stores = this.#begin(attempt, given, parts)
    return extendPlugin(given, { parts, stores, key: this.#key, terminal })
  }

  mount(mounted: DevMount, parts: DevParts): void {
    const attempt = this.#attempts.current()
    // An application with several servers is served as a whole.
    if (attempt.isHost || attempt.mount !== null) return
    attempt.mount = mounted
    attempt.parts = parts
    interceptListen(mounted.app.server, (wanted) => this.#listenFor(attempt, mounted, wanted))
  }

  async #listenFor(
    attempt: Attempt,
    { app, server, endpoint, checkHost }: DevMount,
    wanted: FastifyListenOptions,
  ): Promise<AddressInfo> {
    if (this.isStdio) throw new Error('With --stdio, the program has to call serve({ … }) instead of app.listen.')
    const fault = checkHost(this.addressOf(wanted).host ?? 'localhost')
    if (fault !== null) throw fault
    const path = this.inspectorPath
    const pages: Pages | null = path === null ? null : { path, app: await createInspector(server, path, endpoint) }
    const close = async (): Promise<void> => {
      await tasksEnded(server)
      await Promise.all([app.close(), pages?.app.close()])
    }
    const front = await this.#replaceOnHttp({ attempt, server, close }, app, pages)
    return front.address
  }

  failed(error: unknown): void {
    this.#fail(this.#attempts.running ?? this.#attempts.latest, error)
  }

  addressOf(wanted: FastifyListenOptions | undefined): FastifyListenOptions {
    const { host = wanted?.host ?? 'localhost', port = wanted?.port ?? 3000 } = this.options
    this.#address = { host, port }
    return this.#address
  }

  async listen(app: FastifyInstance): Promise<string> {
    const attempt = this.#attempts.current()
    try {
      if (this.isStdio) throw new Error('With --stdio, the program has to call serve({ … }) instead of createHost.')
      if (this.inspectorPath !== null) await mountInspector(app, this.inspectorPath, attempt.endpoint)
      // Runs after the hook of the endpoint, which ends the streams.
      app.addHook('preClose', () => tasksEnded(app.mcp))
      await app.ready()
    } catch (error) {
      this.#fail(attempt, error)
      throw error
    }
    await this.#replaceOnHttp({ attempt, server: app.mcp, close: () => app.close() }, app)
    return this.#origin ?? ''
  }

  async #replaceOnHttp(
    next: Omit<Version, 'lists'>,
    app: FastifyInstance,
    pages: Pages | null = null,
  ): Promise<HttpFront> {
    const front = (this.#front ??= new HttpFront(next.attempt.options?.fastify ?? {}))
    await this.#replaceBy(next, async () => {
      await front.switchTo(app, pages)
      this.#origin ??= await this.#open(front, next.attempt)
      return async () => undefined
    })
    return front
  }

  #begin(attempt: Attempt, given: HostOptions, parts: DevParts): DevStores {
    attempt.options = given
    attempt.parts = parts
    attempt.stores = this.#stores ?? parts.createStores(given.limits)
    dropReplaced(parts.container, attempt.registrations)
    return attempt.stores
  }

  async serveStdio(server: McpServer, principal: Caller | null): Promise<never> {
    const attempt = this.#attempts.current()
    const { relay } = this.options
    const { connectInMemory } = attempt.parts as DevParts
    const close = async (): Promise<void> => {
      await tasksEnded(server)
      await server.close()
    }
    await this.#replaceBy({ attempt, server, close }, async () => {
      if (relay === null) throw new Error('There is no standard input to serve.')
      return relay.switchTo(server, (to, init) => connectInMemory(to, { ...init, principal }))
    })
    return new Promise(() => undefined)
  }

  /**
   * Prints an error of a version that has been loaded. The version keeps serving.
   *
   * @param consequence Ends the title.
   */
  report(title: string, error: unknown, consequence = ''): void {
    if (this.#attempts.isKnown(error)) return
    const { running } = this.#attempts
    const isReplaced = running?.hasServed === true && running !== this.#version?.attempt
    const version = isReplaced ? ' of a replaced version, which still runs' : ''
    // The places of a replaced version are lost, because Node maps them to the sources of the next one.
    const text = isReplaced ? String(error) : describeFailure(error, this.options.root)
    this.#boxes.print(`${title}${version}${consequence}`, text)
  }

  /** Handles `process.exit` of the program. @throws Error that ends the caller. */
  exited(code: number | string | null | undefined): never {
    const error = new Error(`The program called process.exit(${code ?? ''}).`)
    const attempt = this.#attempts.running
    if (attempt?.hasServed === false) this.#fail(attempt, error)
    else this.report('process.exit was called, and ignored', error)
    this.#attempts.ignore(error)
    throw error
  }

  get isInProgram(): boolean {
    return this.#attempts.running !== undefined
  }

  async close(): Promise<void> {
    const closing = this.#version?.close()
    await this.#front?.close()
    await closing
  }

  #fail(attempt: Attempt | null, error: unknown): void {
    if (attempt === null || attempt !== this.#attempts.latest || this.#attempts.isKnown(error)) return
    // A later error is a consequence of the first, such as an error that the program creates from it.
    if (attempt.hasFailed) return
    attempt.hasFailed = true
    this.#watchFiles()
    const { terminal, root } = this.options
    const then = this.#version === null ? 'waiting for a change' : 'the previous version keeps serving'
    terminal.printBox('red', `the server cannot start: ${then}`, describeFailure(error, root))
  }

  /**
   * Switches from one version to the next, one switch at a time. @param switchOver Returns a function that drains the
   * previous version.
   */
  async #replaceBy(next: Omit<Version, 'lists'>, switchOver: () => Promise<() => Promise<void>>): Promise<void> {
    const switching = this.#switching.then(() => this.#switchTo({ ...next, lists: readLists(next.server) }, switchOver))
    this.#switching = switching.catch(() => undefined)
    await switching
  }

  async #switchTo(next: Version, switchOver: () => Promise<() => Promise<void>>): Promise<void> {
    const { attempt, server } = next
    if (attempt !== this.#attempts.latest) {
      void this.#retire(next)
      throw this.#attempts.superseded()
    }
    const drainLast = await switchOver()
    const last = this.#version
    this.#version = next
    this.#stores = attempt.stores
    this.#parts = attempt.parts
    attempt.hasServed = true
    this.#boxes.reset()
    this.#watchFiles()
    const durationMs = performance.now() - attempt.startedAt
    if (last === null) {
      const addresses = this.#addresses(attempt)
      printStart(server, addresses, durationMs, this.options.terminal)
      printSlowSchemas(server, this.options.terminal)
      this.options.onStart(addresses)
      return
    }
    const differences = compareLists(last.lists, next.lists)
    printReload(this.#namesOf(attempt.changes), differences, durationMs, this.options.terminal)
    printSlowSchemas(server, this.options.terminal)
    notify(server, differences)
    void this.#retire(last, drainLast)
  }

  async #retire(version: Version, drain: () => Promise<void> = async () => undefined): Promise<void> {
    try {
      await drain()
      await version.close()
      await version.attempt.runner.close()
    } catch (error) {
      this.report('the previous version could not be closed', error)
    }
  }

  async #open(front: HttpFront, attempt: Attempt): Promise<string> {
    const { terminal, root } = this.options
    const { host, port } = this.#address
    const isChosen = this.options.port !== undefined || (process.env['PORT'] ?? '') !== ''
    const listening = await listenOnFreePort(front, { host, port, isChosen }, (error, tried) => {
      attempt.hasFailed = true
      const fault = describeListenError(error, host, tried, { host: '--host', port: '--port' })
      terminal.printBox('red', 'cannot listen', fault ?? describeFailure(error, root))
      this.options.onListenError()
    })
    const used = listening.port
    if (used !== port) terminal.print(terminal.style('yellow', `port ${port} is in use, so ${used} is used`))
    return listening.origin
  }

  #addresses({ endpoint }: Attempt): Addresses {
    if (this.#origin === null) return { url: null, inspector: null }
    return {
      url: `${this.#origin}${endpoint}`,
      inspector: this.inspectorPath === null ? null : `${this.#origin}${this.inspectorPath}`,
    }
  }

  get inspectorPath(): string | null {
    return this.options.hasInspector ? inspectorPathAt(this.#address.host) : null
  }

  #files(): ProgramFiles {
    const attempts = [this.#version?.attempt, this.#attempts.latest].filter((attempt) => attempt instanceof Attempt)
    return findProgramFiles(attempts, this.options)
  }

  #watchFiles(): void {
    watchProgramFiles(this.options.watcher, this.options.root, this.#files())
  }

  #namesOf(changes: readonly FileChange[]): readonly string[] {
    return [...new Set(changes.map(({ file }) => shortPath(file, this.options.root)))]
  }
}

function notify({ changes }: McpServer, differences: readonly ListDifference[]): void {
  for (const { kind } of differences) {
    if (kind === 'tools') changes.toolsChanged()
    else if (kind === 'prompts') changes.promptsChanged()
    else changes.resourcesChanged()
  }
}

/** Waits until no task runs, up to a limit: closing a server cancels its tasks. */
async function tasksEnded(server: McpServer): Promise<void> {
  const deadline = performance.now() + drainMs
  // oxlint-disable-next-line no-await-in-loop
  while (server.metrics().runningTasks.value > 0 && performance.now() < deadline) await sleep(taskPollMs)
}
