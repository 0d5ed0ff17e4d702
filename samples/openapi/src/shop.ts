import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

interface Order {
  readonly id: number
  readonly seed: string
  readonly packets: number
}

/** An API of a garden shop, which knows nothing of MCP. */
export interface Shop {
  readonly url: string
  /** The key that each request needs. */
  readonly key: string
  close(): Promise<void>
}

const seeds = [
  { id: 'basil', name: 'Basil', sow: 'April', cents: 250 },
  { id: 'kale', name: 'Kale', sow: 'May', cents: 320 },
  { id: 'leek', name: 'Leek', sow: 'March', cents: 290 },
]

interface Answer {
  readonly status: number
  readonly body?: unknown
}

/** Starts the API on this machine, on a free port. */
export async function startShop(): Promise<Shop> {
  const key = randomBytes(16).toString('hex')
  const orders = new Map<number, Order>()
  const server = createServer((request, response) => {
    const respond = ({ status, body }: Answer): void => {
      response.writeHead(
        status,
        body === undefined ? {} : { 'content-type': 'application/json' },
      )
      response.end(body === undefined ? undefined : JSON.stringify(body))
    }
    if (request.headers['x-api-key'] !== key)
      respond({ status: 401, body: { message: 'Unknown key' } })
    else
      answer(request, orders).then(respond, () =>
        respond({ status: 500, body: { message: 'The shop is on fire' } }),
      )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${port}`, key, close }
}

async function answer(
  request: IncomingMessage,
  orders: Map<number, Order>,
): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop')
  const [collection, id = ''] = pathname
    .split('/')
    .slice(1)
    .map(decodeURIComponent)
  const route = `${request.method} /${collection}${id === '' ? '' : '/{id}'}`
  switch (route) {
    case 'GET /seeds': {
      const month = searchParams.get('sow')
      return {
        status: 200,
        body: seeds.filter(({ sow }) => month === null || sow === month),
      }
    }
    case 'POST /orders': {
      const { seed, packets } = (await json(request)) as Omit<Order, 'id'>
      if (!seeds.some((known) => known.id === seed)) {
        return {
          status: 422,
          body: {
            message: `There is no seed '${seed}'`,
            seeds: seeds.map((known) => known.id),
          },
        }
      }
      const order = { id: orders.size + 1, seed, packets }
      orders.set(order.id, order)
      return { status: 201, body: order }
    }
    case 'GET /orders/{id}': {
      const order = orders.get(Number(id))
      return order === undefined
        ? { status: 404, body: { message: `There is no order ${id}` } }
        : { status: 200, body: order }
    }
    default:
      return { status: 404, body: { message: 'There is nothing here' } }
  }
}
