// The server's report: what clients cannot get by MCP.
import { signal } from '@preact/signals'
import { page, pageHeaders } from './settings.js'

export interface Plan {
  readonly name: string
  readonly from: string
  readonly parameters: readonly string[]
  readonly input?: string
  readonly output?: string
}

export type Outcome = 'hidden' | 'listed' | 'callable' | 'needs step-up'

export interface AccessRow {
  readonly kind: string
  readonly name: string
  readonly access: Readonly<Record<string, Outcome>>
}

export interface Report {
  readonly identity: Readonly<Record<string, unknown>>
  readonly allowsAnonymous: boolean
  readonly plans: Readonly<Record<'tools' | 'prompts' | 'resources' | 'completions', readonly Plan[]>>
  readonly access: { readonly callers: readonly { readonly name: string }[]; readonly rows: readonly AccessRow[] }
  readonly notServed: {
    readonly hints: readonly string[]
    readonly leftOut: readonly { readonly path: string; readonly reason: string }[]
    readonly modules: readonly {
      readonly file: string
      readonly controllers: readonly string[]
      readonly skipped?: string
    }[]
  }
  readonly findings: Readonly<Record<'overlaps' | 'slowSchemas' | 'undescribed', readonly string[]>>
  readonly limits: readonly { readonly name: string; readonly value: string; readonly isDefault: boolean }[]
}

export const report = signal<Report | null>(null)

/** Loads the report. The server may have changed since the last time. */
export async function loadReport(): Promise<void> {
  if (!page.hasReport) return
  try {
    const response = await fetch(`${page.base}/report`, { headers: pageHeaders() })
    if (response.ok) report.value = (await response.json()) as Report
  } catch {
    // The server is gone: the connection says so.
  }
}

export function planOf(kind: 'tools' | 'prompts' | 'resources', name: string): Plan | undefined {
  return report.value?.plans[kind].find((plan) => plan.name === name)
}

export function accessOf(kind: string, name: string): AccessRow | undefined {
  return report.value?.access.rows.find((row) => row.name === name && row.kind.startsWith(kind))
}
