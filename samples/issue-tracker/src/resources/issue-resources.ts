import {
  Authorize,
  type CompletionRequest,
  Inject,
  injectable,
  McpCompletion,
  McpResource,
  type Static,
  Type,
} from 'toolwright'
import { type Issue, type Issues, issuesToken } from '../issues/issues.js'

const Reference = Type.Object({ id: Type.Integer({ minimum: 1 }) })

/**
 * Issues that a user attaches to a conversation. Clients that subscribed to an
 * issue are notified of its changes.
 */
@injectable()
@Authorize({ roles: ['reader', 'writer', 'admin'] })
export class IssueResources {
  constructor(@Inject(issuesToken) private readonly issues: Issues) {}

  @McpResource('issue://{id}', {
    name: 'issue',
    title: 'Issue',
    input: Reference,
  })
  issue({ id }: Static<typeof Reference>): Promise<Issue | null> {
    return this.issues.find(id)
  }

  @McpCompletion({ resource: 'issue://{id}', argument: 'id' })
  async completeId({ value }: CompletionRequest): Promise<string[]> {
    const open = await this.issues.list({ status: 'open' }, { limit: 1000 })
    return open.map(({ id }) => String(id)).filter((id) => id.startsWith(value))
  }
}
