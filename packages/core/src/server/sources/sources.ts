import type { Logger } from 'pino'
import { reportThrown } from '../../errors/diagnostics.js'
import { logFailure } from '../../errors/log-failure.js'
import type { McpServer } from '../mcp-server.js'
import { attachInternals, type BootInternals } from './boot-internals.js'
import type { FeatureSource, SourceServer } from './feature-source.js'
import { type ExplainedSource, SourceReport } from './source-report.js'

export class Sources {
  readonly #prepared = new Map<FeatureSource, SourceReport>()
  #closed: Promise<void> | undefined

  constructor(
    private readonly sources: readonly FeatureSource[],
    private readonly log: Logger,
  ) {}

  async prepare(server: Omit<SourceServer, 'report'>, internals: BootInternals): Promise<void> {
    const { diagnostics } = internals
    for (const source of this.sources) {
      const report = new SourceReport(source.name, diagnostics)
      this.#prepared.set(source, report)
      // Prepares one source at a time, because all sources change the same catalog.
      // oxlint-disable-next-line no-await-in-loop
      await reportThrown(`Source '${source.name}' cannot be used`, diagnostics, () =>
        source.prepare(attachInternals({ ...server, report }, internals)),
      )
    }
  }

  async ready(server: McpServer): Promise<void> {
    for (const source of this.sources) {
      // oxlint-disable-next-line no-await-in-loop
      await source.ready?.(server)
    }
  }

  explain(): readonly ExplainedSource[] {
    return [...this.#prepared.values()].map((report) => report.explain())
  }

  /** Closes the sources that were prepared. Errors are logged, so that every source is closed. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    const prepared = [...this.#prepared.keys()]
    const closed = await Promise.allSettled(prepared.map(async (source) => source.close?.()))
    for (const [index, result] of closed.entries()) {
      if (result.status === 'rejected') {
        logFailure(this.log, result.reason, { source: prepared[index]?.name }, 'closing a source failed')
      }
    }
  }
}
