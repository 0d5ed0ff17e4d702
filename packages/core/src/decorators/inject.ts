import { type InjectionToken, inject } from '../container/tsyringe.js'
import { recordParameterToken } from '../metadata/store.js'

/**
 * Names what to inject into a parameter, of a method or of a constructor. Needed where the type is an interface, and
 * where no decorator metadata is emitted (tsx, esbuild).
 */
export function Inject(token: InjectionToken): ParameterDecorator {
  return (target, method, index) => {
    if (method === undefined) inject(token)(target, method, index)
    else recordParameterToken(target, method, index, token)
  }
}
