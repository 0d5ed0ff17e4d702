import {
  AllowAnonymous,
  Authorize,
  Inject,
  injectable,
  McpContext,
  McpTool,
  type Static,
  ToolError,
  Type,
} from 'toolwright'
import { type Issue, type Issues, issuesToken } from '../issues/issues.js'

const Id = Type.Integer({ minimum: 1, description: 'Id of the issue' })
const Title = Type.String({ minLength: 1, maxLength: 200 })
const Body = Type.String({ maxLength: 10_000, description: 'Markdown' })
const Label = Type.String({
  pattern: '^[a-z0-9-]{1,30}$',
  description: 'Such as bug or documentation',
})
const Status = Type.Enum(['open', 'closed'])

const Reference = Type.Object({ id: Id })
const NewIssue = Type.Object({
  title: Title,
  body: Type.Optional(Body),
  label: Label,
})
const Changes = Type.Object(
  {
    id: Id,
    title: Type.Optional(Title),
    body: Type.Optional(Body),
    label: Type.Optional(Label),
    status: Type.Optional(Status),
  },
  { additionalProperties: false },
)
const Query = Type.Object({
  status: Type.Optional(Status),
  label: Type.Optional(Label),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
  cursor: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,15}$',
      description: 'nextCursor of the previous page',
    }),
  ),
})

const IssueOutput = Type.Object({
  id: Type.Integer(),
  title: Type.String(),
  body: Type.String(),
  label: Type.String(),
  status: Status,
  author: Type.String(),
  createdAt: Type.String({ format: 'date-time' }),
})
const Page = Type.Object({
  issues: Type.Array(
    Type.Object({
      id: Type.Integer(),
      title: Type.String(),
      label: Type.String(),
      status: Status,
    }),
  ),
  nextCursor: Type.Optional(
    Type.String({ description: 'Absent on the last page' }),
  ),
})
const Counts = Type.Object({ open: Type.Integer(), closed: Type.Integer() })

const Confirmation = Type.Object({
  delete: Type.Boolean({ title: 'Delete the issue' }),
})

/**
 * Every role may read. `untrusted`: models must not take the texts of users for
 * instructions.
 */
@injectable()
@Authorize({ roles: ['reader', 'writer', 'admin'] })
export class IssueTools {
  constructor(@Inject(issuesToken) private readonly issues: Issues) {}

  @McpTool({
    title: 'Count issues',
    description: 'Counts open and closed issues',
    output: Counts,
    annotations: { readOnlyHint: true },
  })
  @AllowAnonymous()
  async countIssues(): Promise<Static<typeof Counts>> {
    return {
      open: await this.issues.count({ status: 'open' }),
      closed: await this.issues.count({ status: 'closed' }),
    }
  }

  @McpTool({
    title: 'List issues',
    description: 'Lists issues in the order of their ids, page by page',
    input: Query,
    output: Page,
    annotations: { readOnlyHint: true },
    untrusted: true,
  })
  async listIssues({
    cursor,
    limit,
    ...filter
  }: Static<typeof Query>): Promise<Static<typeof Page>> {
    // Reads one more issue than requested, to find out whether there is another
    // page.
    const found = await this.issues.list(filter, {
      after: Number(cursor ?? 0),
      limit: limit + 1,
    })
    const issues = found
      .slice(0, limit)
      .map(({ id, title, label, status }) => ({ id, title, label, status }))
    return found.length > limit
      ? { issues, nextCursor: String(issues.at(-1)?.id) }
      : { issues }
  }

  @McpTool({
    title: 'Get issue',
    description: 'Returns an issue with its text',
    input: Reference,
    output: IssueOutput,
    annotations: { readOnlyHint: true },
    untrusted: true,
  })
  async getIssue({
    id,
  }: Static<typeof Reference>): Promise<Static<typeof IssueOutput>> {
    return this.#existing(id, await this.issues.find(id))
  }

  @McpTool({
    title: 'Create issue',
    description: 'Creates an issue, and returns it with its id',
    input: NewIssue,
    output: IssueOutput,
    annotations: { destructiveHint: false },
  })
  @Authorize({ roles: ['writer', 'admin'] })
  createIssue(
    { title, body = '', label }: Static<typeof NewIssue>,
    { principal }: McpContext,
  ): Promise<Issue> {
    return this.issues.add({
      title,
      body,
      label,
      author: principal?.subject ?? '',
    })
  }

  @McpTool({
    title: 'Update issue',
    description:
      'Changes the given members of an issue, or closes or reopens it',
    input: Changes,
    output: IssueOutput,
    annotations: { idempotentHint: true },
  })
  @Authorize({ roles: ['writer', 'admin'] })
  async updateIssue(
    { id, ...changes }: Static<typeof Changes>,
    context: McpContext,
  ): Promise<Issue> {
    const changed = this.#existing(id, await this.issues.update(id, changes))
    context.changes.resourceUpdated(`issue://${id}`)
    return changed
  }

  /**
   * A client without elicitation gets an error: nothing is deleted without a
   * confirmation.
   */
  @McpTool({
    title: 'Delete issue',
    description: 'Deletes an issue permanently, if the user confirms it',
    input: Reference,
    annotations: { destructiveHint: true },
  })
  @Authorize({ roles: ['admin'] })
  async deleteIssue(
    { id }: Static<typeof Reference>,
    context: McpContext,
  ): Promise<string> {
    const { title } = this.#existing(id, await this.issues.find(id))
    const { content } = await context.elicit({
      message: `Delete issue ${id}, "${title}", permanently?`,
      schema: Confirmation,
    })
    if (content?.delete !== true) return `Kept issue ${id}.`
    await this.issues.remove(id)
    context.changes.resourceUpdated(`issue://${id}`)
    return `Deleted issue ${id}.`
  }

  #existing(id: number, issue: Issue | null): Issue {
    if (issue === null)
      throw new ToolError(
        `There is no issue ${id}. Call list_issues for the ids.`,
      )
    return issue
  }
}
