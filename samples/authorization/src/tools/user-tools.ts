import {
  Authorize,
  injectable,
  McpContext,
  McpTool,
  type Static,
  ToolError,
  Type,
} from 'toolwright'
import { Directory } from '../directory.js'

const UserName = Type.String({
  description: 'Name of the user',
  pattern: '^[a-z][a-z0-9_-]{0,31}$',
})

const NameInput = Type.Object({ name: UserName })

const UserInput = Type.Object({
  name: UserName,
  role: Type.Union(
    [Type.Literal('User'), Type.Literal('Manager'), Type.Literal('Admin')],
    {
      description: 'Role of the user',
      default: 'User',
    },
  ),
})

const UserList = Type.Object({
  users: Type.Array(Type.Object({ name: Type.String(), role: Type.String() })),
})

/** All tools require a role. Tools that change data also require a scope. */
@injectable()
@Authorize({ roles: ['User', 'Manager', 'Admin'] })
export class UserTools {
  constructor(private readonly directory: Directory) {}

  @McpTool({
    title: 'List users',
    description: 'Lists the users',
    output: UserList,
    annotations: { readOnlyHint: true },
  })
  getUserList(): Static<typeof UserList> {
    return {
      users: this.directory.users.map(({ name, role }) => ({ name, role })),
    }
  }

  @McpTool({
    title: 'Create user',
    description: 'Creates a user',
    input: UserInput,
  })
  @Authorize({ roles: ['Manager', 'Admin'], scopes: ['tools:write'] })
  createUser(
    { name, role }: Static<typeof UserInput>,
    { principal }: McpContext,
  ): string {
    if (!this.directory.add({ name, role }))
      throw new ToolError(
        `The user '${name}' already exists. Choose another name.`,
      )
    return `${principal?.subject} created '${name}' as ${role}.`
  }

  @McpTool({
    title: 'Delete user',
    description: 'Deletes a user permanently',
    input: NameInput,
    annotations: { destructiveHint: true },
  })
  @Authorize({ roles: ['Admin'], scopes: ['tools:write'] })
  deleteUser(
    { name }: Static<typeof NameInput>,
    { principal }: McpContext,
  ): string {
    if (!this.directory.remove(name))
      throw new ToolError(
        `There is no user '${name}'. Call get_user_list for the names.`,
      )
    return `${principal?.subject} deleted '${name}'.`
  }
}
