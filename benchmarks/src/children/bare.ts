import Fastify from 'fastify'
import { serveAsTold } from '../served.js'

/** The minimum that Fastify does for the same response: it parses the body, and sends bytes from memory. */
serveAsTold(({ answer, contentType }: { answer: string; contentType: string }) => {
  const app = Fastify({ logger: false })
  const bytes = Buffer.from(answer)
  app.post('/mcp', (_request, reply) => {
    reply.header('content-type', contentType).send(bytes)
  })
  return app
})
