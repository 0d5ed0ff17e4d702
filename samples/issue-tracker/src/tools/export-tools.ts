import {
  Authorize,
  Inject,
  injectable,
  McpTool,
  type ProgressUpdate,
  type Static,
  Type,
} from 'toolwright'
import { type Issue, type Issues, issuesToken } from '../issues/issues.js'

const ExportInput = Type.Object({
  status: Type.Optional(Type.Enum(['open', 'closed'])),
})

const columns = [
  'id',
  'title',
  'label',
  'status',
  'author',
  'createdAt',
] as const

/** Number of issues in one read from the database. */
const pageSize = 100

@injectable()
@Authorize({ roles: ['reader', 'writer', 'admin'] })
export class ExportTools {
  constructor(@Inject(issuesToken) private readonly issues: Issues) {}

  /**
   * Yielded values are reported as progress. A cancelled call ends at its next
   * `yield`.
   */
  @McpTool({
    title: 'Export issues',
    description:
      'Returns the issues as CSV, with a header, and reports progress',
    input: ExportInput,
    annotations: { readOnlyHint: true },
    untrusted: true,
  })
  async *exportIssues(
    filter: Static<typeof ExportInput>,
  ): AsyncGenerator<ProgressUpdate, string> {
    const total = await this.issues.count(filter)
    const lines = [columns.join(',')]
    for (let after: number | undefined = 0; after !== undefined; ) {
      // oxlint-disable-next-line no-await-in-loop
      const page: readonly Issue[] = await this.issues.list(filter, {
        after,
        limit: pageSize,
      })
      lines.push(
        ...page.map((issue) =>
          columns.map((column) => toCell(issue[column])).join(','),
        ),
      )
      after = page.at(-1)?.id
      if (after !== undefined) yield { progress: lines.length - 1, total }
    }
    return lines.join('\r\n')
  }
}

/**
 * Writes a cell of RFC 4180. The apostrophe keeps spreadsheets from running a
 * title such as `=cmd()` as a formula.
 */
function toCell(value: string | number): string {
  const text = /^[=+\-@\t\r]/.test(String(value)) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
