import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose'

export const audience = 'https://mcp.example.com/mcp'

/** A key of an issuer, and its public half as the issuer publishes it. */
export interface SigningKey {
  readonly algorithm: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  readonly jwk: JWK
}

export async function createKey(kid: string, algorithm = 'RS256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: algorithm }
  return { algorithm, privateKey, publicKey, jwk }
}

/** Servers of stopped providers, for reuse: starting one takes longer than most tests. */
const spareKeys: SigningKey[] = []

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** An authorization server on 127.0.0.1 with real keys. Its behaviour can be changed while it runs. */
export class IdentityProvider {
  keys: readonly SigningKey[]
  /** Handles requests for the keys. */
  answer: Handler = (_request, response) => response.end(JSON.stringify({ keys: this.keys.map(({ jwk }) => jwk) }))
  fetches = 0

  private constructor(
    private readonly server: Server,
    private readonly first: SigningKey,
  ) {
    this.keys = [first]
  }

  static async start(): Promise<IdentityProvider> {
    // With a timeout, slow tests would reuse a connection just as the server closes it.
    const server = createServer({ keepAliveTimeout: 0 })
    const provider = new IdentityProvider(server, spareKeys.pop() ?? (await createKey('first')))
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      provider.fetches++
      provider.answer(request, response)
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    return provider
  }

  /** Resets the connection of the next request, like a kept-alive connection that closes just when it is reused. */
  loseNextRequest(): void {
    const { answer } = this
    this.answer = ({ socket }) => {
      this.answer = answer
      socket.resetAndDestroy()
    }
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  get jwks(): string {
    return `${this.issuer}/keys`
  }

  get key(): SigningKey {
    return this.keys[0] as SigningKey
  }

  /** Signs a valid token, with `claims` and `header` overridden. A claim that is `undefined` is left out. */
  sign(
    claims: Readonly<Record<string, unknown>> = {},
    header: Partial<JWTHeaderParameters> = {},
    { algorithm, privateKey, jwk }: SigningKey = this.key,
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const payload = { iss: this.issuer, aud: audience, sub: 'alice', iat: now, exp: now + 300, ...claims }
    return new SignJWT(JSON.parse(JSON.stringify(payload)))
      .setProtectedHeader({ alg: algorithm, kid: jwk.kid, ...header })
      .sign(privateKey)
  }

  stop(): Promise<void> {
    spareKeys.push(this.first)
    this.server.closeAllConnections()
    return new Promise((resolve) => {
      this.server.close(() => resolve())
    })
  }
}
