// A separate HTTP API, which does not use MCP.
import { createServer } from 'node:http'

const deliveries = [
  { id: 1, customer: 'ada', status: 'sent' },
  { id: 2, customer: 'ben', status: 'packed' },
  { id: 3, customer: 'ben', status: 'sent' },
]

const api = createServer(({ headers, url = '/' }, response) => {
  const { pathname, searchParams } = new URL(url, 'http://api')
  const customer = headers['x-customer']
  const status = searchParams.get('status')
  const found = deliveries.filter(
    (delivery) =>
      delivery.customer === customer &&
      (status === null || delivery.status === status),
  )
  const isKnown = pathname === '/deliveries' && customer !== undefined
  response.writeHead(isKnown ? 200 : 404, {
    'content-type': 'application/json',
  })
  response.end(
    JSON.stringify(
      found.map(({ id, status: state }) => ({ id, status: state })),
    ),
  )
})

api.listen(Number(process.env['PORT'] ?? 4001), '127.0.0.1', () => {
  const address = api.address()
  const port = typeof address === 'object' ? address?.port : address
  console.log(`serving deliveries at http://127.0.0.1:${port}`)
})
