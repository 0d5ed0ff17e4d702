import type { FeatureSource, McpServer, SourceServer } from '@toolwright/core'
import { vendorNameLength } from './names.js'
import { readUpstreams, type Upstreams } from './options.js'
import { ServedUpstream } from './served-upstream.js'
import type { UpstreamStatus } from './upstream.js'

/** A source with the features of other MCP servers. */
export interface ProxySource extends FeatureSource {
  /** Returns the state of each upstream, for health checks and pages. */
  status(): readonly UpstreamStatus[]
  /** Whether all upstreams can be reached: a function for `health: { checks }`. */
  readonly isHealthy: () => boolean
}

/**
 * Serves the features of other MCP servers, each under a prefix. An upstream that is down, slow or hostile affects only its own
 * features.
 *
 * @param upstreams Options of each upstream by name. The name is part of the names and URIs of its features.
 * @example
 * sources: [proxy({ weather: { url: 'http://127.0.0.1:4000/mcp' }, files: { command: 'node', args: ['files.js'] } })]
 * @throws BootError that lists every mistake in the options.
 */
export function proxy(upstreams: Upstreams): ProxySource {
  const options = readUpstreams(upstreams)
  const names = [...options.keys()]
  let served: readonly ServedUpstream[] = []
  return {
    name: `proxy: ${names.join(', ')}`,
    prepare: async (server) => {
      const explain = (): void => explainAll(served, server)
      served = [...options].map(([name, own]) => new ServedUpstream(name, own, server.catalog, server.log, explain))
      await Promise.all(served.map((one) => start(one, server)))
      reportClashes(served, server)
      warnOfLongNames(served, server.log)
      explain()
    },
    ready: (server) => served.forEach((one) => one.serve(server)),
    close: async () => {
      await Promise.all(served.map((one) => one.close()))
    },
    status: () => served.map(({ status }) => status),
    isHealthy: () => served.every(({ upstream }) => upstream.state === 'up'),
  }
}

/** Connects to an upstream. An upstream that cannot be reached is a problem only if it is required. */
async function start(served: ServedUpstream, { report }: SourceServer): Promise<void> {
  try {
    await served.start()
  } catch {
    const { name, options, reason } = served.upstream
    if (!options.required) return
    report.problem(`the upstream '${name}' is required, but it ${reason} Start it first, or remove \`required\`.`)
  }
}

/** Reports features whose name or URI is taken. After boot, such features are only left out. */
function reportClashes(served: readonly ServedUpstream[], { report }: SourceServer): void {
  for (const { section } of served) {
    for (const { origin, reason } of section.leftOut) {
      if (!reason.endsWith('is already served')) continue
      report.problem(`${origin}: ${reason}. Give one of the two another prefix or name, or leave it out with \`tool\`.`)
    }
  }
}

function warnOfLongNames(served: readonly ServedUpstream[], log: McpServer['log']): void {
  const names = served.flatMap(({ section }) =>
    section.features.filter(({ kind }) => kind === 'tool').map(({ key }) => key),
  )
  const tools = names.filter(({ length }) => length > vendorNameLength).toSorted((a, b) => b.length - a.length)
  if (tools.length === 0) return
  const why = `names of tools are longer than ${vendorNameLength} characters, and some vendors of models reject the whole list`
  log.warn({ tools: tools.slice(0, 10) }, `${why}. Give the upstream a shorter prefix`)
}

function explainAll(served: readonly ServedUpstream[], { report }: SourceServer): void {
  report.clear()
  for (const { upstream, section } of served) {
    if (upstream.state !== 'up') report.leftOut(upstream.name, `the upstream ${upstream.reason}`)
    for (const { origin, kind, key } of section.features) report.added(origin, `${kind} '${key}'`)
    for (const { origin, reason } of section.leftOut) report.leftOut(origin, reason)
  }
}
