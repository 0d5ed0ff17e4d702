import { randomBytes } from 'node:crypto'
import { FileLoginStore, login } from '@toolwright/login'
import { loadConfig, serve, Type } from 'toolwright'
import { findProvider } from './provider.js'

const { PORT, PUBLIC_URL, LOGIN_SECRET, LOGIN_FILE } = loadConfig(
  Type.Object({
    PORT: Type.Integer({ default: 3000, minimum: 0, maximum: 65_535 }),
    PUBLIC_URL: Type.Optional(
      Type.String({ description: 'the URL that clients call' }),
    ),
    LOGIN_SECRET: Type.String({
      description: 'at least 32 characters; a random secret ends all logins',
      default: randomBytes(32).toString('base64url'),
    }),
    LOGIN_FILE: Type.Optional(
      Type.String({
        description: 'keeps logins; without it, they are in memory',
      }),
    ),
  }),
)

const found = await findProvider()

await serve({
  name: 'login',
  version: '1.0.0',
  title: 'Guest book',
  scan: new URL('./tools/', import.meta.url),
  authentication: login({
    url: PUBLIC_URL ?? `http://127.0.0.1:${PORT}/mcp`,
    secret: LOGIN_SECRET,
    provider: found.provider,
    scopes: ['book:read', 'book:write'],
    ...(LOGIN_FILE === undefined
      ? {}
      : { store: new FileLoginStore(LOGIN_FILE) }),
  }),
  onClose: () => found.close(),
})
