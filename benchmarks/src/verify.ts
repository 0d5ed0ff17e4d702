import { deepStrictEqual } from 'node:assert'
import type { Reply } from './benchmark-server.js'
import type { Scenario } from './scenarios.js'

/** Verifies a response: a server that returns something else, or less, must not look fast. */
export function verifyAnswer(server: string, { status, headers, text }: Reply, scenario: Scenario): void {
  const result = readResult(headers.get('content-type') ?? '', text)
  const { structuredContent, tools } = result as { structuredContent?: unknown; tools?: readonly unknown[] }
  const found = scenario.method === 'tools/call' ? structuredContent : tools?.length
  const expected = scenario.method === 'tools/call' ? { sum: 5 } : scenario.tools
  deepStrictEqual({ status, found }, { status: 200, found: expected }, `${server} answers "${scenario.title}" wrongly`)
}

/** Verifies that the bare route sends the same bytes in the same headers. */
export function verifySame(toolwright: Reply, bare: Reply): void {
  deepStrictEqual(seen(bare), seen(toolwright), 'The bare route does not send what Toolwright sends')
}

function seen({ status, headers, text }: Reply): object {
  const { date: _date, ...others } = Object.fromEntries(headers)
  return { status, headers: others, text }
}

function readResult(contentType: string, text: string): object {
  const json = contentType.startsWith('text/event-stream') ? (/^data: (.*)$/m.exec(text)?.[1] ?? '') : text
  return (JSON.parse(json) as { result: object }).result
}
