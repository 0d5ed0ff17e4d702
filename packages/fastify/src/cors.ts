import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import type { MountOptions } from './options.js'

/** What a page may read of an answer besides its body. */
const exposedHeaders = ['Mcp-Session-Id', 'WWW-Authenticate', 'Retry-After']

/** Answers the questions of browsers before anything else looks at them: they carry no credentials. */
export async function allowPages(
  scope: FastifyInstance,
  { cors: wanted, allowedOrigins = [] }: MountOptions,
): Promise<void> {
  if (wanted === undefined || wanted === false) return
  const { credentials = false, maxAge } = wanted === true ? {} : wanted
  await scope.register(cors, {
    // The header names the one origin that asked; with '*', and then without credentials, it is '*'.
    origin: allowedOrigins.includes('*') ? '*' : [...allowedOrigins],
    credentials,
    exposedHeaders,
    methods: ['GET', 'POST', 'DELETE'],
    ...(maxAge === undefined ? {} : { maxAge }),
  })
}
