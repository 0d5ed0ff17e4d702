import Fastify from 'fastify'
import { serveAsTold } from '../served.js'

/** The minimum that Fastify does for the same response: it parses the body, and sends a string from memory. */
serveAsTold(({ answer, contentType }: { answer: string; contentType: string }) => {
  const app = Fastify({ logger: false })
  app.post('/mcp', (_request, reply) => {
    reply.header('content-type', contentType).send(answer)
  })
  return app
})
