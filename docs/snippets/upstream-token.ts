import { type LoginOptions, upstreamToken } from '@toolwright/login'
import { McpContext, McpTool, ToolError } from 'toolwright'

export const keepsTokens: Partial<LoginOptions> = { keepUpstreamTokens: true }

export class RepositoryTools {
  // #region tool
  @McpTool({ description: 'Lists the repositories of the user' })
  async listRepositories(context: McpContext): Promise<readonly string[]> {
    const token = await upstreamToken(context)
    const response = await fetch('https://api.github.com/user/repos', {
      headers: { authorization: `Bearer ${token}` },
    })
    if (!response.ok) throw new ToolError(`GitHub answered ${response.status}`)
    const repositories = (await response.json()) as { full_name: string }[]
    return repositories.map(({ full_name: name }) => name)
  }
  // #endregion
}
