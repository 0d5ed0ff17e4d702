import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import {
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net'
import type { Readable } from 'node:stream'
import {
  type Answer,
  Connection,
  Exchange,
  errorResponse,
  idOfRejected,
  Outbox,
  parseJson,
  type RunningServer,
  readInTurn,
  runningServer,
} from '@toolwright/core/transport'
import {
  createServer as createMcpServer,
  type McpServer,
  ProtocolError,
  type RpcEndpoint,
  type ServerOptions,
} from 'toolwright'

// #region exchange
/** The exchange of one POST, answered with JSON. */
class PostExchange extends Exchange {
  override canNotify = false

  constructor(
    message: unknown,
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    { log }: McpServer,
  ) {
    const { headers } = request
    super({
      message,
      headers,
      sender: { principal: null, transport: 'http', headers, log },
    })
    response.once('close', () => this.disconnected())
  }

  override get address(): string | null {
    return this.request.socket.remoteAddress ?? null
  }

  protected sendAnswer({ status, body }: Answer): void {
    send(this.response, status, body)
  }

  send(): void {}

  crash(error: unknown): void {
    this.sender.log.error({ err: error }, 'a request failed')
    send(this.response, 500, null)
  }
}
// #endregion

// #region serve
export function serveOverHttp(server: McpServer): Server {
  const running = runningServer(server)
  const { limits } = running
  return createServer((request, response) => {
    if (request.method !== 'POST') return send(response, 405, null)
    // A web page can point its own host name at this machine (DNS rebinding).
    if (!/^(localhost|127\.0\.0\.1)(:\d+)?$/.test(request.headers.host ?? ''))
      return send(response, 403, null)
    readBody(request, limits.maxMessageBytes)
      .then((body) =>
        running.receive(
          new PostExchange(parseJson(body, limits), request, response, server),
        ),
      )
      .catch((error: unknown) => reject(response, error))
  })
}

function reject(response: ServerResponse, error: unknown): void {
  if (error instanceof ProtocolError)
    send(response, error.status, errorResponse(undefined, error))
  else send(response, 500, null)
}

async function readBody(body: Readable, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of body) {
    length += piece.length
    if (length > maxBytes)
      throw new ProtocolError(
        'bodyTooLarge',
        `Payload Too Large: at most ${maxBytes} bytes`,
      )
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function send(
  response: ServerResponse,
  status: number,
  body: string | Buffer | null,
): void {
  response
    .writeHead(
      status,
      body === null ? {} : { 'content-type': 'application/json' },
    )
    .end(body)
}
// #endregion

// #region start
export async function startWeather(options: ServerOptions): Promise<Server> {
  const server = await createMcpServer(options)
  return serveOverHttp(server).listen(3000, '127.0.0.1')
}
// #endregion

// #region encoded
export const lines: RpcEndpoint = {
  path: '/lines',
  contentType: 'application/x-ndjson',
  encode: (json) => {
    const responses = json === null ? [] : [JSON.parse(json) as unknown].flat()
    return responses.map((response) => `${JSON.stringify(response)}\n`).join('')
  },
}
// #endregion

// #region connection
/**
 * Serves messages over TCP. Each message follows its length, a number of four
 * bytes.
 */
export function serveOverTcp(server: McpServer): TcpServer {
  const running = runningServer(server)
  // With half-open sockets, a client that has sent everything still gets its
  // responses.
  return createTcpServer({ allowHalfOpen: true }, (socket) => {
    serveSocket(socket, running).catch(() => socket.destroy())
  })
}

async function serveSocket(
  socket: Socket,
  server: RunningServer,
): Promise<void> {
  const outbox = new Outbox(
    {
      get bufferedBytes() {
        return socket.writableNeedDrain ? socket.writableLength : 0
      },
      write: (message, onSent) => void socket.write(frameOf(message), onSent),
      cut: () => socket.destroy(),
    },
    server,
  )
  const connection = new Connection(server, outbox, null, {
    address: () => socket.remoteAddress ?? '',
  })
  socket.on('drain', () => outbox.drained())
  socket.on('close', () => connection.gone('the client disconnected'))
  socket.on('error', () => undefined)
  socket.setTimeout(45_000, () => {
    if (socket.writableLength > 0) socket.destroy()
  })
  for await (const bytes of messagesOf(socket, server.limits.maxMessageBytes)) {
    await connection.readyForNext()
    try {
      connection.receive(await readInTurn(bytes, server.limits))
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      outbox.respond(errorResponse(idOfRejected(bytes, error), error))
    }
  }
  connection.closing()
  connection.inputEnded()
  await connection.idle()
  socket.end()
}

function frameOf(message: string | Uint8Array): Buffer {
  const bytes = Buffer.from(message as string)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/**
 * Splits the input into messages. Throws for a message that is too long, before
 * the message is buffered.
 */
async function* messagesOf(
  input: Readable,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const piece of input.iterator({ destroyOnReturn: false })) {
    rest = Buffer.concat([rest, piece as Buffer])
    while (rest.length >= 4) {
      const length = rest.readUInt32BE()
      if (length > maxBytes) throw new Error('The message is too long')
      if (rest.length < 4 + length) break
      yield rest.subarray(4, 4 + length)
      rest = rest.subarray(4 + length)
    }
  }
}
// #endregion
