import { type InjectionToken, inject } from '../container/tsyringe.js'
import { recordParameterToken } from '../metadata/store.js'
import { nameOf, uncalled } from './record-method.js'

/**
 * Names what to inject into a parameter, of a method or of a constructor. Needed where the type is an interface, and
 * where no decorator metadata is emitted (tsx, esbuild).
 */
export function Inject(token: InjectionToken): ParameterDecorator
export function Inject(token: InjectionToken, second?: string | symbol, index?: number): ParameterDecorator {
  // Without parentheses it is called with what it decorates, and nobody would use what it returns.
  if (index !== undefined) throw uncalled('@Inject(token)', `${nameOf(token, second)}, parameter ${index}`)
  return (target, method, position) => {
    if (method === undefined) inject(token)(target, method, position)
    else recordParameterToken(target, method, position, token)
  }
}
