import { connectInMemory, McpContext, type McpServer, McpTool, Type } from '@toolwright/core'
import { createServer } from '@toolwright/server'
import { noRules } from '../../packages/core/src/catalog/authorization/authorization-resolver.js'
import { buildCatalog } from '../../packages/core/src/catalog/build-catalog.js'
import { checkDependencies } from '../../packages/core/src/catalog/injection/check-dependencies.js'
import { AppContainer } from '../../packages/core/src/container/app-container.js'
import { Diagnostics } from '../../packages/core/src/errors/diagnostics.js'
import { RejectionObservers } from '../../packages/core/src/hooks/rejection-observers.js'
import { InMemoryRateLimiter } from '../../packages/core/src/limits/rate-limiter.js'
import { HookBinder } from '../../packages/core/src/plan/bind-hooks.js'
import { compilePlans } from '../../packages/core/src/plan/plans.js'

// Objects with the same keys in the same order share one hidden class, which keeps the request path monomorphic.

class ShapeTools {
  static readonly contexts: McpContext[] = []

  @McpTool({ description: 'Nothing but a name' })
  bare(context: McpContext): void {
    ShapeTools.contexts.push(context)
  }

  @McpTool({
    title: 'Everything',
    input: Type.Object({ count: Type.Integer({ default: 3 }) }),
    output: Type.Object({ count: Type.Integer() }),
    timeoutMs: 5000,
  })
  full({ count }: { count: number }, context: McpContext): { count: number } {
    ShapeTools.contexts.push(context)
    context.log.debug('used')
    return { count }
  }
}

test('two contexts have the same keys in the same order, for all kinds of requests', async () => {
  const server = await createServer({ name: 'shape', version: '1.0.0', controllers: [ShapeTools] })
  const modern = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    progressToken: 1,
  }
  await call(server, { name: 'bare' })
  await call(server, { name: 'full', _meta: modern })
  expect(ShapeTools.contexts).toHaveLength(2)
  const [first, second] = ShapeTools.contexts.map((context) => Object.keys(context))
  expect(second).toEqual(first)
})

test('two plans have the same keys in the same order, for all kinds of tools', () => {
  const diagnostics = new Diagnostics()
  const { catalog, features } = buildCatalog([ShapeTools], diagnostics, noRules)
  const container = new AppContainer()
  const graph = checkDependencies(features, container, diagnostics)
  const rejections = new RejectionObservers(1, null as never)
  const hooks = new HookBinder({ container, graph, hooks: [], timeoutMs: 1000, rejections, diagnostics })
  const tallies = { limitedRequests: { count: 0 }, oversizedResults: { count: 0 } }
  const rateLimiter = new InMemoryRateLimiter()
  const bindings = {
    container,
    graph,
    hooks,
    rateLimiter,
    maxResultBytes: 1000,
    ...tallies,
    hidesForbidden: false,
    log: null as never,
  }
  const plans = compilePlans(catalog, bindings, 1000, diagnostics)
  diagnostics.throwIfAny()
  const [first, second] = [...plans.tools.values()].map((plan) => Object.keys(plan))
  expect(first).toBeDefined()
  expect(second).toEqual(first)
})

function call(server: McpServer, params: object): Promise<unknown> {
  return new Promise((resolve) => {
    const client = connectInMemory(server, { onMessage: resolve })
    client.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  })
}
