import { complete } from '../../dispatch/complete.js'
import type { Method, Methods } from '../era.js'
import { whenUsed } from './when-used.js'
import type { Wire } from './wire.js'

/** `completion/complete` of one revision. */
export function createCompletionMethods({ served, completeResult }: Wire): Methods {
  const { catalog, plans } = served
  const method: Method = async (call) => {
    const completion = await complete(plans, catalog, call.request.params, call)
    return completeResult(`"completion":${JSON.stringify(completion)}`, null)
  }
  return whenUsed([catalog.completions], { 'completion/complete': method })
}
