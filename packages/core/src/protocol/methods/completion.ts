import { complete } from '../../call/complete.js'
import type { Method, Methods } from '../era.js'
import type { ResultWriter } from './result-writer.js'
import { whenUsed } from './when-used.js'

/** `completion/complete` of one revision. */
export function createCompletionMethods({ dependencies, completeResult }: ResultWriter): Methods {
  const { catalog, plans } = dependencies
  const method: Method = async (call) => {
    const completion = await complete(plans, catalog, call.request.params, call)
    return completeResult(`"completion":${JSON.stringify(completion)}`, null)
  }
  return whenUsed([catalog.completions], { 'completion/complete': method })
}
