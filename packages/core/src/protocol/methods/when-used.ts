import type { Viewer } from '../../context/viewer.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { DetachedCall } from '../detached-call.js'
import type { Method, Methods } from '../era.js'
import type { RequestCall } from '../request-call.js'
import type { Revision } from '../revisions.js'

interface Used {
  isKnownTo(viewer: Viewer): boolean
  /** All definitions, visible or not. If there are definitions, rejected calls are reported to the log and to hooks. */
  readonly all?: readonly unknown[]
}

/**
 * Makes the methods of a kind of feature unknown until the first feature of that kind is added. Until that time, the server does
 * not declare the capability. The methods are also unknown to callers from whom all features of that kind are hidden.
 */
export function whenUsed(uses: readonly Used[], methods: Methods): Methods {
  return Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, whenKnown(uses, name, method)]))
}

/**
 * Applies `whenUsed` to list methods, except in the legacy era. Several legacy clients request lists that are not declared, and
 * treat an error as a broken server. Legacy clients therefore get empty lists, even if all features are hidden from them.
 */
export function whenListed(uses: readonly Used[], { era }: Revision, lists: Methods): Methods {
  return era === 'legacy' ? lists : whenUsed(uses, lists)
}

function whenKnown(uses: readonly Used[], name: string, method: Method): Method {
  return (call) => {
    if (uses.some((use) => use.isKnownTo(call.context))) {
      method(call)
      return
    }
    const unknown = new ProtocolError('methodNotFound', `Method not found: ${name}`)
    if (!uses.some(({ all = [] }) => all.length > 0)) throw unknown
    reportRejected(method, call, unknown)
  }
}

/** Runs a rejected call, only for its log line and hooks. The caller gets the error for unknown methods. */
function reportRejected(method: Method, call: RequestCall, unknown: ProtocolError): void {
  const end = (): void => call.fail(unknown)
  const { context, cancellation } = call
  const detached = new DetachedCall(call, { context, cancellation }, { resolve: end, reject: end })
  try {
    method(detached)
  } catch {
    end()
  }
}
