import type { McpServer } from '@toolwright/core'

/** The gauges with this prefix, by name. */
export function gaugesOf({ gauges }: McpServer, start: string): Record<string, number> {
  const found = gauges.all.filter(({ name }) => name.startsWith(start))
  return Object.fromEntries(found.map((gauge) => [gauge.name, gauge.read()]))
}
