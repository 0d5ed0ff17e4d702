import Fastify from 'fastify'
import { serveAsTold } from '../served.js'

/** The least that Fastify can do for the same answer: it parses the body and sends text that it has in memory. */
serveAsTold(({ answer, contentType }: { answer: string; contentType: string }) => {
  const app = Fastify({ logger: false })
  app.post('/mcp', (_request, reply) => {
    reply.header('content-type', contentType).send(answer)
  })
  return app
})
