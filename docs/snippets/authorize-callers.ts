// #region rules
import {
  AllowAnonymous,
  type AuthorizationPolicy,
  type AuthorizationRequest,
  Authorize,
  createServer,
  injectable,
  McpCompletion,
  McpPrompt,
  McpResource,
  type McpServer,
  McpTool,
  type Static,
  singleton,
  Type,
} from 'toolwright'

const User = Type.Object({ name: Type.String() })

@Authorize({ roles: ['Admin', 'Manager'] })
export class UserTools {
  @McpTool({ description: 'Lists the users' })
  getUserList(): string[] {
    return ['alice', 'bob']
  }

  @McpTool({
    description: 'Deletes a user',
    input: User,
    annotations: { destructiveHint: true },
  })
  @Authorize({ roles: ['Admin'], scopes: ['users:write'] })
  deleteUser({ name }: Static<typeof User>): string {
    return `${name} is gone`
  }

  @McpTool({ description: 'Describes this server' })
  @AllowAnonymous()
  getPublicInfo(): string {
    return 'Manages the users of the shop'
  }
}
// #endregion

// #region policy
@singleton()
export class Teams {
  has(project: string, subject: string): boolean {
    return project === 'shop' && subject === 'alice'
  }
}

@injectable()
export class TeamPolicy implements AuthorizationPolicy {
  constructor(private readonly teams: Teams) {}

  allows({ principal, arguments: { project } }: AuthorizationRequest): boolean {
    return principal !== null && this.teams.has(project, principal.subject)
  }
}

export class ProjectPlans {
  @McpResource('projects://{project}/plan', {
    description: 'The plan of a project',
  })
  @Authorize({ policy: TeamPolicy })
  plan({ project }: { project: string }): string {
    return `The plan of ${project}`
  }
}
// #endregion

export class ProjectPrompts {
  // #region completion
  @McpPrompt({
    description: 'Plans the next step',
    input: Type.Object({ project: Type.String() }),
  })
  @Authorize({ scopes: ['projects:read'] })
  nextStep({ project }: { project: string }): string {
    return `What is the next step of ${project}?`
  }

  @McpCompletion({ prompt: 'next_step', argument: 'project' })
  completeProject(): string[] {
    return ['shop']
  }
  // #endregion
}

export async function createUsers(): Promise<McpServer> {
  return createServer({
    name: 'users',
    version: '1.0.0',
    controllers: [UserTools, ProjectPlans, ProjectPrompts],
    authorization: { impliedScopes: { 'users:admin': ['users:write'] } },
  })
}
