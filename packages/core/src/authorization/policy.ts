import type { McpContext } from '../context/mcp-context.js'
import type { Principal } from '../context/principal.js'
import type { MaybePromise } from '../timing/maybe-promise.js'

export interface RequestedFeature {
  /** `completion`: the completion of a prompt's argument or of a resource template's variable. */
  readonly kind: 'tool' | 'prompt' | 'resource' | 'completion'
  /**
   * The name of a tool or prompt, the key of a completion (`prompt greet: name`), or the URI of a resource. Needless
   * percent-encoding of the URI is decoded: `%61` becomes `a`.
   */
  readonly name: string
}

/** The call that a policy decides on. */
export interface AuthorizationRequest {
  /** The caller. Never `null`: unauthenticated callers are rejected before a policy runs. */
  readonly principal: Principal | null
  readonly feature: RequestedFeature
  /**
   * The validated arguments of a tool or prompt, or the validated variables of a resource template. For a completion: the values
   * that the user has already filled in, unvalidated.
   */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly arguments: any
  readonly context: McpContext
}

/**
 * Decides whether a caller is allowed to use a feature. Only `true` allows the call: other values, errors and timeouts reject the
 * call.
 */
export interface AuthorizationPolicy {
  allows(request: AuthorizationRequest): MaybePromise<boolean>
}

/** A policy as a function: see {@link AuthorizationPolicy}. */
export type PolicyFunction = (request: AuthorizationRequest) => MaybePromise<boolean>

/** A policy as a class. One instance is created at boot, with injected dependencies, and lives as long as the server. */
// oxlint-disable-next-line typescript/no-explicit-any
export type PolicyClass = new (...args: any[]) => AuthorizationPolicy

export type Policy = PolicyFunction | PolicyClass

export function isPolicyClass(policy: Policy): policy is PolicyClass {
  const { prototype } = policy as { readonly prototype?: Partial<AuthorizationPolicy> }
  return typeof prototype?.allows === 'function'
}
