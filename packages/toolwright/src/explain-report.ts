// The report that a program prints with `--explain`.

import { defaultLimits, type Limits, type McpServer } from '@toolwright/core'
import { supportedVersions } from '@toolwright/core/host'
import type { HostOptions } from './create-host.js'
import { findClosed } from './describe-host.js'

export function describeReport(server: McpServer, options: HostOptions): string {
  const closed = findClosed(server, options)
  return [
    String(server.explain()),
    ...describeAccess(server),
    ...(closed === null ? [] : ['', 'Closed:', `  ${closed}`]),
    ...describeLimits(server.limits),
    ...describeRevisions(server.revisions),
    '',
  ].join('\n')
}

export function encodeReport(server: McpServer, options: HostOptions): string {
  // JSON has no Infinity, so an infinite limit is encoded as text.
  const encode = (limit: number): number | string => (Number.isFinite(limit) ? limit : String(limit))
  const limits = Object.fromEntries(changedLimits(server.limits).map((name) => [name, encode(server.limits[name])]))
  const { revisions } = server
  const closed = findClosed(server, options)
  const access = server.authorizationMatrix()
  return `${JSON.stringify({ ...server.explain(), access, closed, limits, revisions }, null, 2)}\n`
}

function describeAccess(server: McpServer): readonly string[] {
  const matrix = server.authorizationMatrix()
  const isOpen = matrix.rows.every(({ access }) => Object.values(access).every((outcome) => outcome === 'callable'))
  return isOpen ? [] : ['', 'Access:', String(matrix)]
}

function changedLimits(limits: Limits): readonly (keyof Limits)[] {
  return (Object.keys(limits) as (keyof Limits)[]).filter((name) => limits[name] !== defaultLimits[name])
}

function describeLimits(limits: Limits): readonly string[] {
  const changed = changedLimits(limits)
  if (changed.length === 0) return []
  return ['', 'Limits:', ...changed.map((name) => `  ${name} is ${limits[name]} (default: ${defaultLimits[name]})`)]
}

function describeRevisions(revisions: readonly string[]): readonly string[] {
  return revisions.length === supportedVersions.length ? [] : ['', 'Revisions offered:', `  ${revisions.join(', ')}`]
}
