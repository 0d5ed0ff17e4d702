import type { Authenticator, McpServer } from '@toolwright/core'
import { guardRoute, rejectForeignHost } from '@toolwright/fastify/internal'
import type { FeatureMetrics, MetricsHook } from '@toolwright/server'
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'

export function createMetrics(metrics: MetricsHook, authentication: Authenticator | undefined): FastifyPluginAsync {
  return async (app) => {
    const { mcp } = app as FastifyInstance & { readonly mcp: McpServer }
    app.addHook('onRequest', rejectForeignHost)
    guardRoute(app, 'gateway', authentication === undefined ? {} : { authentication }, mcp)
    app.get('/metrics', async (request, reply) => {
      const { mcpPrincipal: principal = null } = request as Partial<FastifyRequest>
      const viewer = { principal, transport: 'http', headers: request.headers, meta: {} } as const
      const visible = new Set(mcp.catalog.tools.visibleTo(viewer).map(({ name }) => name))
      const counted = metrics.snapshot().filter(({ kind, name }) => kind === 'tool' && visible.has(name))
      reply.header('cache-control', 'no-store')
      return { timestamp: new Date().toISOString(), totalTools: counted.length, metrics: counted.map(describe) }
    })
  }
}

function describe(metrics: FeatureMetrics): object {
  const { name, invocations, successes, failures, successRate, averageMs, minMs, maxMs, errors } = metrics
  return {
    tool: name,
    invocations,
    successes,
    failures,
    successRate: round(successRate * 100),
    avgDuration: round(averageMs),
    minDuration: round(minMs),
    maxDuration: round(maxMs),
    errors,
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
