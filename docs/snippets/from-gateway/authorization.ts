import { gateway } from '@toolwright/gateway'
// #region authorization
import {
  AllowAnonymous,
  AuthenticationError,
  Authorize,
  authenticateWith,
  type Caller,
  createHost,
  McpTool,
  type Static,
  Type,
} from 'toolwright'

const UserInput = Type.Object({ userId: Type.String() })
const NewUserInput = Type.Object({ username: Type.String() })
const SettingInput = Type.Object({ name: Type.String(), value: Type.String() })

export class AdminTools {
  @McpTool({ description: 'Deletes a user', input: UserInput })
  @Authorize({ roles: ['Admin'] })
  deleteUser({ userId }: Static<typeof UserInput>): object {
    return { deleted: true, userId }
  }

  @McpTool({ description: 'Creates a user', input: NewUserInput })
  @Authorize({ roles: ['Admin', 'Manager'] })
  createUser({ username }: Static<typeof NewUserInput>): object {
    return { created: true, username }
  }

  @McpTool({ description: 'Lists the users' })
  @Authorize({ roles: ['Admin', 'Manager', 'User'] })
  getUserList(): object {
    return { users: [{ id: '1', name: 'Ada' }] }
  }

  @McpTool({ description: 'Returns what everyone may know' })
  @AllowAnonymous()
  getPublicInfo(): object {
    return { info: 'Open to everyone' }
  }

  @McpTool({ description: 'Changes a setting', input: SettingInput })
  @Authorize({ roles: ['Admin'] })
  updateSettings({ name, value }: Static<typeof SettingInput>): object {
    return { updated: true, setting: name, value }
  }
}

const callers: Readonly<Record<string, Caller>> = {
  'admin-token-123': { subject: 'admin', roles: ['Admin'] },
  'user-token-456': { subject: 'user', roles: ['User'] },
  'manager-token-789': { subject: 'manager', roles: ['Manager', 'User'] },
  'public-token-000': { subject: 'guest' },
}

const authentication = authenticateWith(({ headers: { authorization } }) => {
  if (authorization === undefined) return null
  const token = String(authorization).replace(/^Bearer /, '')
  const caller = Object.hasOwn(callers, token) ? callers[token] : undefined
  if (caller === undefined)
    throw new AuthenticationError(
      'invalid_token',
      'Unauthorized: the token is not valid',
    )
  return caller
})

export const createAuthorization = async () =>
  createHost(
    await gateway(
      { controllers: [AdminTools], authentication },
      { health: true },
    ),
  )
// #endregion
