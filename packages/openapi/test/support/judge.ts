import { getHttpOperationsFromSpec, type IHttpConfig } from '@stoplight/prism-http'
import { createServer } from '@stoplight/prism-http-server'
import { pino } from 'pino'

/** What prism said about the requests it received. */
export interface Judge extends AsyncDisposable {
  readonly url: string
}

/** Starts prism, which answers by the document, and refuses each request that does not match the document. */
export async function startJudge(document: object | string): Promise<Judge> {
  const operations = await getHttpOperationsFromSpec(document)
  const logger = Object.assign(pino({ level: 'silent' }), { success: () => undefined })
  const config = {
    mock: { dynamic: false },
    validateRequest: true,
    validateResponse: false,
    checkSecurity: false,
    errors: true,
    isProxy: false,
    upstreamProxy: undefined,
  } as unknown as IHttpConfig
  const server = createServer(operations, { components: { logger }, cors: false, config })
  const url = await server.listen(0, '127.0.0.1')
  return { url, [Symbol.asyncDispose]: () => server.close() }
}
