import { type InjectionToken, inject } from '../container/tsyringe.js'
import { recordParameterToken, recordProblem } from '../metadata/store.js'
import { isUncalled, misplaced, nameOf, recordStandard, uncalled } from './decorator-problems.js'

const call = '@Inject(token)'

/**
 * Names what to inject into a parameter, of a method or of a constructor. Needed where the type is an interface, and
 * where no decorator metadata is emitted (tsx, esbuild).
 */
export function Inject(token: InjectionToken): ParameterDecorator
export function Inject(token: InjectionToken, second?: string | symbol, index?: number): ParameterDecorator {
  // Without parentheses it is called with what it decorates, and nobody would use what it returns.
  if (typeof index === 'number') {
    recordProblem(token as object, uncalled(call, `${nameOf(token, second)}, parameter ${index + 1}`))
    return undefined as never
  }
  if (isUncalled({ call }, token, second)) return undefined as never
  return (target: object, method: string | symbol | object | undefined, position: unknown) => {
    if (typeof method === 'object') recordStandard('@Inject', target, method)
    else if (typeof position !== 'number') {
      recordProblem(target, misplaced('@Inject', nameOf(target, method), 'Put it on a parameter'))
    } else if (method === undefined) inject(token)(target, method, position)
    else recordParameterToken(target, method, position, token)
  }
}
