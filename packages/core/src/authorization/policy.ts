import type { McpContext } from '../context/mcp-context.js'
import type { Principal } from '../context/principal.js'

/** What a caller wants to use. */
export interface RequestedFeature {
  /** `completion`: what is typed into an argument of a prompt, or a variable of a resource template. */
  readonly kind: 'tool' | 'prompt' | 'resource' | 'completion'
  /**
   * The name of a tool or prompt, the URI of a resource, with nothing encoded that need not be (`%61` is `a`); what is
   * completed.
   */
  readonly name: string
}

/** What a policy decides on. */
export interface AuthorizationRequest {
  /** `null` for callers who are not authenticated, which only features with `@AllowAnonymous()` let in. */
  readonly principal: Principal | null
  readonly feature: RequestedFeature
  /**
   * The arguments, after they were checked: those of a tool or prompt, the variables of a resource template. Of a
   * completion: what is filled in so far, unchecked.
   */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly arguments: any
  readonly context: McpContext
}

/** Decides whether a caller may use a feature. Anything but `true`, an error and no answer in time are all a no. */
export interface AuthorizationPolicy {
  allows(request: AuthorizationRequest): boolean | Promise<boolean>
}

/** What a policy is as a function: see {@link AuthorizationPolicy}. */
export type PolicyFunction = (request: AuthorizationRequest) => boolean | Promise<boolean>

/** A class whose instance is injected; it lives as long as the server. */
// oxlint-disable-next-line typescript/no-explicit-any
export type PolicyClass = new (...args: any[]) => AuthorizationPolicy

/** A function, or a class that is made with what it needs injected. */
export type Policy = PolicyFunction | PolicyClass

export function isPolicyClass(policy: Policy): policy is PolicyClass {
  const { prototype } = policy as { readonly prototype?: Partial<AuthorizationPolicy> }
  return typeof prototype?.allows === 'function'
}
