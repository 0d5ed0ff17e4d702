import type {
  CallToolResult,
  Client,
  CompleteRequest,
  CompleteResult,
  GetPromptResult,
  Implementation,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ListToolsResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  ServerCapabilities,
  Tool,
} from '@modelcontextprotocol/client'
import { resultKindKey } from '@toolwright/core/wire'
import type { ClientStream, StreamOptions } from '@toolwright/streams/client'
import { streamsExtension } from '@toolwright/streams/wire'
import { type RawRequestOptions, type RawResult, sendRaw } from './calls/raw-request.js'
import { readValue } from './calls/read-value.js'
import { type AnswerRequest, awaitTask, taskOf } from './calls/tasks.js'
import { type CallOptions, type ProgressListener, RunningCall, type ToolCall } from './calls/tool-call.js'
import type { Connection } from './connection.js'
import type { HeaderSource } from './credentials.js'
import { ClientError, ToolCallError } from './errors.js'
import type { EventStream } from './events/event-queue.js'
import { Events, type ListName, type LogMessage, type LogOptions } from './events/events.js'
import { type AllOptions, type ListOptions, listAll, listPage } from './lists.js'
import type { RequestOptions } from './options.js'
import type { ClassStreams } from './streams/class-streams.js'
import { type OpenSocket, StreamPool } from './streams/stream-pool.js'
import type { ClassTools } from './tools/class-tools.js'
import { ToolNames } from './tools/tool-names.js'
import { createToolProxy, type ToolsOptions } from './tools/tool-proxy.js'
import type { AnyTools, CallParameters, ToolTypes } from './tools/tool-types.js'

export interface McpClientInit {
  readonly connection: Connection
  readonly url: URL | null
  readonly headers: HeaderSource
  readonly answer: AnswerRequest
  /** Opens the WebSocket of the server; `null` if the server has no URL. */
  readonly openSocket: OpenSocket | null
}

/** A client of one server, made with `connect`. `await using` closes the client. */
export class McpClient<Tools extends ToolTypes<Tools> = AnyTools> implements AsyncDisposable {
  /** URL of the server; `null` over stdio and in process. */
  readonly url: URL | null
  readonly #connection: Connection
  readonly #headers: HeaderSource
  readonly #answer: AnswerRequest
  readonly #events: Events
  readonly #names: ToolNames
  readonly #streams: StreamPool | null

  /** Use {@link connect} instead of this constructor. */
  constructor({ connection, url, headers, answer, openSocket }: McpClientInit) {
    this.#connection = connection
    this.url = url
    this.#headers = headers
    this.#answer = answer
    this.#events = new Events(connection)
    this.#streams =
      openSocket === null
        ? null
        : new StreamPool({
            connect: openSocket,
            timeoutMs: connection.timeoutMs,
            maxStreams: () => maxStreamsOf(this.capabilities),
            checkOpen: () => connection.checkOpen(),
          })
    this.#names = new ToolNames(async () => (await this.allTools({ fresh: true })).map(({ name }) => name))
  }

  /** The official client, for features that this class does not have. The object stays the same after a reconnect. */
  get official(): Client {
    return this.#connection.official
  }

  /** Name and version of the server; `undefined` if the server does not report them. */
  get serverInfo(): Implementation | undefined {
    return this.official.getServerVersion()
  }

  get capabilities(): ServerCapabilities {
    return this.official.getServerCapabilities() ?? {}
  }

  /** Instructions of the server for the model. */
  get instructions(): string | undefined {
    return this.official.getInstructions()
  }

  get protocolVersion(): string {
    return this.official.getNegotiatedProtocolVersion() ?? ''
  }

  get era(): 'modern' | 'legacy' {
    return this.official.getProtocolEra() ?? 'legacy'
  }

  /** Returns HTTP headers with the current credentials, for your own requests to the same server. */
  headers(): Promise<Readonly<Record<string, string>>> {
    return this.#headers('request')
  }

  /**
   * Returns the tools of a class as methods. Only the type of the class is needed, so import it with `import type`.
   *
   * @typeParam Class The class on the server.
   * @typeParam WithoutArguments Names of methods whose first parameter is an injected object of plain data. Without
   * these names, the compiler would treat the object as the arguments.
   * @example
   * const accounts = client.tools<AccountTools>()
   * const balance = await accounts.getBalance({ account: '12' })
   */
  tools<Class, WithoutArguments extends string = never>(
    options: ToolsOptions<Class> = {},
  ): ClassTools<Class, WithoutArguments> {
    const proxy = createToolProxy<CallOptions>(options, (method, tool, args, callOptions = {}) => {
      const describe = (name: string): string => `The server lists no tool '${name}' for the method ${method}.`
      // Asks Toolwright servers to declare whether the method returned a string or data.
      const meta = { ...callOptions.meta, [resultKindKey]: true }
      return this.#call(tool, args, { ...callOptions, meta }, describe)
    })
    return proxy as ClassTools<Class, WithoutArguments>
  }

  /**
   * Calls a tool by name. With `connect<Tools>`, names, arguments and results are typed.
   *
   * @returns The structured content, or the text if the result has no structured content.
   */
  call<Name extends keyof Tools & string>(
    name: Name,
    ...[args, options = {}]: CallParameters<Tools[Name], CallOptions>
  ): ToolCall<Tools[Name]['result']> {
    return this.#call(name, args, options, (tool) => `The server lists no tool '${tool}'.`)
  }

  /**
   * Returns the stream tools of a class as methods that open a stream. Only the type of the class is needed.
   *
   * @typeParam Class The class on the server.
   * @typeParam WithoutArguments Names of methods whose first parameter is an injected object of plain data. Without
   * these names, the compiler would treat the object as the arguments.
   * @example
   * const stream = await client.streams<FileTools>().uploadFile({ name: 'today.csv' })
   * await file.stream().pipeTo(stream.writable)
   * console.log(await stream.done)
   */
  streams<Class, WithoutArguments extends string = never>(
    options: ToolsOptions<Class> = {},
  ): ClassStreams<Class, WithoutArguments> {
    return createToolProxy<StreamOptions>(options, (_method, tool, args, streamOptions) =>
      this.stream(tool, args, streamOptions),
    )
  }

  /**
   * Opens a stream with a tool, over a WebSocket with the credentials of this client. Streams share a WebSocket, up to
   * the server's `maxStreams`. If the server rejects the stream, `done`, `readable` and `writable` fail.
   *
   * @typeParam In Type of the chunks from the tool.
   * @typeParam Out Type of the chunks to the tool.
   * @throws ConnectionError or CredentialsError if the WebSocket cannot be opened, and the reason of the signal if the
   * signal aborts.
   */
  async stream<In = Uint8Array, Out = In, Result = unknown>(
    name: string,
    args: object = {},
    options: StreamOptions = {},
  ): Promise<ClientStream<In, Out, Result>> {
    if (this.#streams === null)
      throw new ClientError('Streams need a WebSocket. Connect to the URL of a server.', 'unsupported')
    if (this.#connection.transport !== null && streamSettings(this.capabilities) === undefined)
      throw new ClientError('The server has no stream tools.', 'unsupported')
    return this.#streams.open<In, Out, Result>(name, args, options)
  }

  #call<Value>(
    name: string,
    args: object = {},
    options: CallOptions,
    describe: (name: string) => string,
  ): ToolCall<Value> {
    const send = async (onProgress: ProgressListener): Promise<CallToolResult> => {
      if (!this.#names.isCallable(name)) {
        const { timeoutMs = this.#connection.timeoutMs, signal } = options
        await this.#names.find(name, describe, { what: `The call of '${name}'`, timeoutMs, signal })
      }
      return this.#send(name, args, options, onProgress)
    }
    return new RunningCall<Value>(send, options, (result) => readValue(result) as Value)
  }

  async #send(name: string, args: object, options: CallOptions, onProgress: ProgressListener): Promise<CallToolResult> {
    const _meta = { ...this.#events.callMeta, ...options.meta }
    const params = { name, arguments: args as Record<string, unknown>, _meta }
    const listening = onProgress === null ? {} : { onprogress: onProgress, resetTimeoutOnProgress: true }
    const connection = this.#connection
    const first = await connection.request(`The call of '${name}'`, options, (official, limits) =>
      official.callTool(params, { ...limits, ...listening }),
    )
    const task = taskOf(first)
    const result =
      task === null
        ? first
        : await awaitTask(connection, task, { ...options, tool: name, onTask: options.onTask, answer: this.#answer })
    if (result.isError === true) throw new ToolCallError(name, result)
    return result
  }

  /**
   * Sends a request of any method, and returns the result as the server sent it. The client does not check the result, does
   * not answer requests of the server in it, and does not wait for a task. For programs that pass messages on, such as proxies.
   *
   * @param params The parameters. A member of `_meta` replaces the member that the client would send.
   * @throws ClientError for an error of the server, or the reason of the signal.
   */
  request(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    { headers, onProgress, ...options }: RawRequestOptions = {},
  ): Promise<RawResult> {
    const what = `The request ${method}`
    return this.#connection.request(what, options, (official, limits) =>
      sendRaw(official, what, { method, params }, { ...limits, headers, onProgress }),
    )
  }

  listTools(options: ListOptions = {}): Promise<ListToolsResult> {
    return listPage(this.#connection, 'tools/list', options)
  }

  async allTools(options: AllOptions = {}): Promise<Tool[]> {
    const tools = await listAll(this.#connection, 'tools', options)
    this.#names.learn(tools.map(({ name }) => name))
    return tools
  }

  listPrompts(options: ListOptions = {}): Promise<ListPromptsResult> {
    return listPage(this.#connection, 'prompts/list', options)
  }

  allPrompts(options: AllOptions = {}): Promise<Prompt[]> {
    return listAll(this.#connection, 'prompts', options)
  }

  listResources(options: ListOptions = {}): Promise<ListResourcesResult> {
    return listPage(this.#connection, 'resources/list', options)
  }

  allResources(options: AllOptions = {}): Promise<Resource[]> {
    return listAll(this.#connection, 'resources', options)
  }

  listResourceTemplates(options: ListOptions = {}): Promise<ListResourceTemplatesResult> {
    return listPage(this.#connection, 'resources/templates/list', options)
  }

  allResourceTemplates(options: AllOptions = {}): Promise<ResourceTemplateType[]> {
    return listAll(this.#connection, 'resourceTemplates', options)
  }

  getPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options: RequestOptions = {},
  ): Promise<GetPromptResult> {
    return this.#connection.request(`The prompt '${name}'`, options, (official, limits) =>
      official.getPrompt({ name, arguments: { ...args } }, limits),
    )
  }

  readResource(uri: string, options: RequestOptions = {}): Promise<ReadResourceResult> {
    return this.#connection.request(`The resource '${uri}'`, options, (official, limits) =>
      official.readResource({ uri }, limits),
    )
  }

  /** Asks for values that complete an argument of a prompt or a variable of a resource template. */
  complete(params: CompleteRequest['params'], options: RequestOptions = {}): Promise<CompleteResult['completion']> {
    return this.#connection.request('The completion', options, async (official, limits) => {
      const { completion } = await official.complete(params, limits)
      return completion
    })
  }

  /**
   * Returns the names of changed lists, one after the other: `for await (const list of await client.changes())`. After
   * a lost connection, every list is reported as changed.
   */
  changes(options: RequestOptions = {}): Promise<EventStream<ListName>> {
    return this.#events.changes(options)
  }

  /**
   * Returns the URIs of changed resources, one after the other. After a lost connection, all resources are reported as
   * changed.
   */
  updates(uris: string | readonly string[], options: RequestOptions = {}): Promise<EventStream<string>> {
    return this.#events.updates(typeof uris === 'string' ? [uris] : uris, options)
  }

  /**
   * Returns log messages of the server with at least the severity `level`. Modern servers send only messages of tool
   * calls that begin after `logs()`.
   */
  logs(options: LogOptions = {}): Promise<EventStream<LogMessage>> {
    return this.#events.logs(options)
  }

  /** Checks that the server answers. */
  async ping(options: RequestOptions = {}): Promise<void> {
    await this.#connection.request('The ping', options, (official, limits) =>
      official.getProtocolEra() === 'modern' ? official.discover(limits) : official.ping(limits),
    )
  }

  /** Ends subscriptions, streams and the session, and closes the connection. */
  async close(): Promise<void> {
    await Promise.all([this.#streams?.close(), this.#connection.close()])
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

function streamSettings({ extensions, experimental }: ServerCapabilities): Record<string, unknown> | undefined {
  return extensions?.[streamsExtension] ?? experimental?.[streamsExtension]
}

function maxStreamsOf(capabilities: ServerCapabilities): number {
  const { maxStreams } = streamSettings(capabilities) ?? {}
  return typeof maxStreams === 'number' ? maxStreams : Infinity
}
