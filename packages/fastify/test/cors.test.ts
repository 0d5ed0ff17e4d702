import { closeApps, modern, openApp, postModern } from './support/wire.js'

afterEach(closeApps)

const page = 'https://app.example.com'
const preflight = {
  origin: page,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'mcp-method',
}

function corsOf(headers: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control')))
}

async function ask(options: object, headers: Record<string, string> = preflight) {
  const app = await openApp(options)
  const { statusCode, headers: received } = await app.inject({ method: 'OPTIONS', url: '/mcp', headers })
  return { status: statusCode, cors: corsOf(received) }
}

it('is off unless asked for', async () => {
  expect(await ask({ allowedOrigins: [page] })).toEqual({ status: 405, cors: {} })
})

it('lets the pages call that may, and nobody else', async () => {
  const options = { cors: true, allowedOrigins: [page] }
  expect(await ask(options)).toEqual({
    status: 204,
    cors: {
      'access-control-allow-origin': page,
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers': 'mcp-method',
      'access-control-expose-headers': 'Mcp-Session-Id, WWW-Authenticate, Retry-After',
    },
  })
  const { cors } = await ask(options, { ...preflight, origin: 'https://evil.example' })
  expect(cors).not.toHaveProperty('access-control-allow-origin')
})

it('is on answers and refusals too, so that pages can read them', async () => {
  const app = await openApp({ cors: { credentials: true }, allowedOrigins: [page] })
  const { status, headers } = await postModern(app, modern('tools/list'), { origin: page })
  expect({ status, cors: corsOf(headers) }).toEqual({
    status: 200,
    cors: {
      'access-control-allow-origin': page,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'Mcp-Session-Id, WWW-Authenticate, Retry-After',
    },
  })
})

it('never lets every page act with the credentials of whoever looks at it', async () => {
  await expect(openApp({ cors: { credentials: true }, allowedOrigins: ['*'] })).rejects.toThrow(
    "cors.credentials is on and allowedOrigins has '*': every web page could act with the cookies of whoever looks at it.",
  )
})

it('is of no use without pages', async () => {
  await expect(openApp({ cors: true })).rejects.toThrow('cors is on, but no web page may call.')
})
