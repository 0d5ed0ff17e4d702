import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** One answer of the model: a text, or the calls of tools that it wants. */
export type FakeAnswer =
  | string
  | readonly (readonly [name: string, args: object])[]

export interface FakeOllama {
  readonly url: string
  /** Bodies of the requests so far. */
  readonly requests: readonly FakeRequest[]
  readonly close: () => void
}

export interface FakeRequest {
  readonly model: string
  readonly messages: readonly {
    readonly role: string
    readonly content: string | null
  }[]
  readonly tools: readonly { readonly function: { readonly name: string } }[]
}

/**
 * Simulates Ollama's chat completions for tests, on 127.0.0.1. After the last
 * answer, the model is not found.
 */
export async function startFakeOllama(
  answers: readonly FakeAnswer[],
): Promise<FakeOllama> {
  const requests: FakeRequest[] = []
  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const body = (await json(request)) as FakeRequest
    requests.push(body)
    const next =
      request.url === '/v1/chat/completions'
        ? answers[requests.length - 1]
        : undefined
    response.setHeader('content-type', 'application/json')
    if (next === undefined)
      response.writeHead(404).end(JSON.stringify(notFound(body.model)))
    else response.end(JSON.stringify(completion(body.model, next)))
  }
  const server = createServer(
    (request, response) => void answer(request, response),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close,
  }
}

function completion(model: string, answer: FakeAnswer): object {
  const calls = typeof answer === 'string' ? [] : answer
  const message = {
    role: 'assistant',
    content: typeof answer === 'string' ? answer : '',
    tool_calls: calls.map(([name, args], index) => ({
      id: `call_${index}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    })),
  }
  const finish = calls.length > 0 ? 'tool_calls' : 'stop'
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model,
    choices: [{ index: 0, message, finish_reason: finish }],
    usage,
  }
}

function notFound(model: string): object {
  return {
    error: {
      message: `model "${model}" not found, try pulling it first`,
      type: 'api_error',
      param: null,
      code: null,
    },
  }
}
