import { complete } from '../../call/complete.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import type { Method, Methods } from '../era.js'
import type { WritingMethod } from '../request-call.js'
import type { ResultWriter } from './result-writer.js'
import { whenUsed } from './when-used.js'

export function createCompletionMethods({ dependencies, completeResult }: ResultWriter): Methods {
  const { catalog, plans } = dependencies
  const method: WritingMethod = {
    // Called only if the completion is missing. The prompt or template was already found.
    notFound: () => new ProtocolError('invalidParams', 'Invalid params: there is no such completion'),
    startTask: null,
    write: (encoded) => completeResult(`"completion":${JSON.stringify(encoded)}`, null),
  }
  const serve: Method = (call) => {
    call.method = method
    complete(plans, catalog, call.request.params, call, method).catch((error: unknown) => call.fail(error))
  }
  return whenUsed([catalog.completions.use], { 'completion/complete': serve })
}
