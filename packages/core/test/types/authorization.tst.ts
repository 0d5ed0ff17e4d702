// Compiled with the other tests and never run: the places and parameters of the decorators.
import {
  AllowAnonymous,
  type AuthorizationPolicy,
  type AuthorizationRequest,
  Authorize,
  type McpServer,
  McpTool,
} from '@toolwright/core'

class OwnerPolicy implements AuthorizationPolicy {
  constructor(readonly owner: string) {}

  allows({ principal }: AuthorizationRequest): boolean {
    return principal?.subject === this.owner
  }
}

class NoPolicy {
  admits(): boolean {
    return true
  }
}

/** On classes and methods, above and below the feature's decorator. */
@Authorize({ roles: ['Admin'] })
export class Guarded {
  @Authorize()
  @McpTool()
  above(): void {}

  @McpTool()
  @AllowAnonymous()
  below(): void {}

  @McpTool()
  @Authorize({ roles: ['Admin', 'Owner'] as const, scopes: ['write'], policy: OwnerPolicy })
  everything(): void {}

  @McpTool()
  @Authorize({ policy: async ({ principal, arguments: { id } }) => Promise.resolve(principal?.subject === id) })
  byFunction(): void {}

  // @ts-expect-error there is no option of this name
  @Authorize({ role: 'Admin' })
  unknownOption(): void {}

  // @ts-expect-error the type is a list, also for one role
  @Authorize({ roles: 'Admin' })
  noList(): void {}

  // @ts-expect-error a policy has a method 'allows'
  @Authorize({ policy: NoPolicy })
  noPolicy(): void {}

  // @ts-expect-error a policy returns a boolean
  @Authorize({ policy: () => 'yes' })
  noBoolean(): void {}

  // @ts-expect-error a property is not a feature
  @Authorize()
  property = 1
}

@AllowAnonymous()
export class Open {
  // @ts-expect-error a parameter is not a feature
  method(@Authorize() _value: string): void {}
}

export function add(server: McpServer): void {
  const { catalog } = server
  catalog.addTool({ name: 'a', handler: () => 1, authorize: { roles: ['Admin'], policy: OwnerPolicy } })
  catalog.addPrompt({ name: 'a', handler: () => 'a', allowAnonymous: true })
  catalog.addResource({ uri: 'a://b', name: 'a', handler: () => 'a', authorize: {} })
  // @ts-expect-error a list, also for one role
  catalog.addTool({ name: 'a', handler: () => 1, authorize: { roles: 'Admin' } })
  const { rows } = server.authorizationMatrix({ roles: ['Admin'] })
  for (const { access } of rows) {
    const outcome: 'hidden' | 'listed' | 'callable' | 'needs step-up' | undefined = access['Admin']
    void outcome
  }
}
