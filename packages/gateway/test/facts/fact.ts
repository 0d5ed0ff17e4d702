import type { Pattern } from './pattern.js'

/** Counterparts of the servers that MCP Gateway's tests run against. */
export type ServerName =
  | 'authorization'
  | 'calculator'
  | 'changes'
  | 'clientTest'
  | 'dateTime'
  | 'dev'
  | 'formats'
  | 'metrics'
  | 'names'
  | 'notifications'
  | 'snakeNames'
  | 'ollama'
  | 'pagination'
  | 'prompts'
  | 'resources'

/** One message, or HTTP request, and its answer. */
export interface Step {
  /** Path of the server, or `stdio`. */
  readonly to: string
  /** Default: POST. */
  readonly verb?: 'GET' | 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; a string is sent as it is. `{{NAME}}` stands for a kept value. */
  readonly send?: unknown
  /** Frames of a stream over WebSocket, instead of `send`: messages, and chunks of bytes. */
  readonly frames?: readonly (object | { readonly chunk: string; readonly index: number })[]
  readonly expect: Pattern
  /**
   * Sends the message while the stream of the session is open, and ends the session. The events are those of this stream,
   * without the first one, which has only an id.
   */
  readonly listens?: boolean
  /** Number of events to read from the stream of a session, which does not end. Default: none. */
  readonly reads?: number
  /** Values of the answer for later steps, by the names of members: `result.nextCursor`, `header.mcp-session-id`. */
  readonly keep?: Readonly<Record<string, string>>
}

/** Why MCP Gateway's expectation is not met. `choice`: the specification allows both responses. */
export type Reason = 'specification' | 'defect' | 'choice' | 'no wire'

export interface Fact {
  /** The message and the expected answer, in our words. */
  readonly about: string
  /** Default: the server of the file. */
  readonly server?: ServerName
  readonly steps: readonly Step[]
  readonly listed?: Listed
}

export interface Listed {
  readonly reason: Reason
  readonly why: string
  /** A test of this repository with the same behaviour. */
  readonly heldBy?: string
  /** Index of the step that is answered differently. Default: the last one. */
  readonly step?: number
  /** The answer of our server to this step. */
  readonly ours?: Pattern
}

/** The cases of one file of MCP Gateway, in its order. */
export interface FactFile {
  readonly file: string
  readonly server: ServerName
  readonly cases: readonly Fact[]
}

export function fact(about: string, ...steps: readonly Step[]): Fact {
  return { about, steps }
}

/** A case that is answered differently, which is checked, too. */
export function differs(about: string, listed: Listed, ...steps: readonly Step[]): Fact {
  return { about, steps, listed }
}

/** A case that sends nothing: it calls a method of an internal C# type. */
export function unit(about: string, heldBy: string, why = 'a method of an internal type'): Fact {
  return { about, steps: [], listed: { reason: 'no wire', why, heldBy } }
}

let lastId = 0

export function request(method: string, params?: object, id: string | number = `case-${++lastId}`): object {
  return { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }
}

type Sending = Omit<Step, 'expect' | 'send'>

/** A request whose answer is a result. */
export function result(
  method: string,
  params: object | undefined,
  pattern: Pattern,
  sending: Partial<Sending> = {},
): Step {
  const sent = request(method, params)
  return { to: '/rpc', ...sending, send: sent, expect: { status: 200, body: { jsonrpc: '2.0', result: pattern } } }
}

/** A request whose answer is an error of JSON-RPC. */
export function error(
  method: string,
  params: object | undefined,
  pattern: Pattern,
  sending: Partial<Sending> = {},
): Step {
  return { to: '/rpc', ...sending, send: request(method, params), expect: { status: 200, body: { error: pattern } } }
}
