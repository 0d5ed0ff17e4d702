import { type FeatureSource, listed, type ServerOptions } from 'toolwright'

// #region source
interface Job {
  readonly id: string
  readonly title: string
  readonly retired?: boolean
  readonly parameters: object
}

/** Serves the jobs of a scheduler as tools. */
export function jobsOf(scheduler: Scheduler): FeatureSource {
  return {
    name: 'jobs',
    async prepare({ catalog, report }) {
      const jobs = await scheduler.list()
      if (jobs.length === 0) {
        report.problem('the scheduler has no jobs. Check its address.')
      }
      for (const { id, retired } of jobs) {
        if (retired) report.leftOut(id, 'retired')
        else report.added(id, `tool '${id}'`)
      }
      const served = jobs.filter(({ retired }) => retired !== true)
      const tools = served.map(({ id, title, parameters }) => ({
        name: id,
        description: title,
        inputSchema: listed(parameters),
        handler: (values: unknown) => scheduler.run(id, values),
      }))
      catalog.replace({ add: { tools } })
    },
    close: () => scheduler.disconnect(),
  }
}
// #endregion

export interface Scheduler {
  list(): Promise<readonly Job[]>
  run(id: string, values: unknown): Promise<string>
  disconnect(): Promise<void>
}

export function createOptions(scheduler: Scheduler): ServerOptions {
  return { name: 'scheduler', version: '1.0.0', sources: [jobsOf(scheduler)] }
}
