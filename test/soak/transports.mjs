// One exchange at a time with the program, over each transport: `call` sends a message and resolves with its response.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { WebSocket } from 'ws'
import { call, keepAlive } from './program.mjs'

export function overHttp({ url }) {
  const agent = keepAlive(1)
  return {
    call: async (body, headers) => (await call(url, { body, headers }, { agent })).text,
    close: () => agent.destroy(),
  }
}

export async function overWebSocket({ url }) {
  const socket = new WebSocket(new URL('/ws', url.href.replace('http', 'ws')), 'mcp')
  await once(socket, 'open')
  return {
    call: async (body) => {
      socket.send(body, { binary: false })
      const [answer] = await once(socket, 'message')
      return answer.toString()
    },
    close: () => socket.terminate(),
  }
}

/** The pipe that the program serves like stdin and stdout. */
export function overStdio({ child }) {
  const [, , , , pipe] = child.stdio
  const lines = createInterface({ input: pipe })
  return {
    call: async (body) => {
      pipe.write(body)
      pipe.write('\n')
      const [answer] = await once(lines, 'line')
      return answer
    },
    close: () => pipe.destroy(),
  }
}
