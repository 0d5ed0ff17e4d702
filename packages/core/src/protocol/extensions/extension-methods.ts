import { isAdmitted, rejectionBy } from '../../authorization/access-rule.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { isJsonObject } from '../../rpc/messages.js'
import { answeringLater, type Methods } from '../era.js'
import { checkSize, type ResultWriter } from '../methods/result-writer.js'
import type { RequestCall } from '../request-call.js'
import type { Extension, ExtensionMethod } from './extension.js'

/** Creates the methods of an application's extension for one revision. */
export function wrapMethods(methods: Extension['methods'] = {}, writer: ResultWriter): Methods {
  const { dependencies, completeResult } = writer
  const guarded = { rule: dependencies.catalog.defaultRule }
  const run = async (name: string, method: ExtensionMethod, call: RequestCall): Promise<string> => {
    const { context, cancellation, request } = call
    if (!isAdmitted(guarded, context.principal)) {
      throw (
        rejectionBy(guarded.rule, context.principal) ?? new ProtocolError('methodNotFound', `Method not found: ${name}`)
      )
    }
    call.started()
    const running = Promise.resolve().then(() => method(request.params, context))
    const result: unknown = await cancellation.race(running, dependencies.limits.callTimeoutMs)
    if (!isJsonObject(result)) throw new TypeError(`The method '${name}' returned something that is not an object`)
    if ('resultType' in result) throw new TypeError(`The method '${name}' returned resultType, which the server sets`)
    const { _meta: meta, ...members } = result
    const text = checkSize(JSON.stringify(members).slice(1, -1), `Method '${name}'`, dependencies)
    return completeResult(text, isJsonObject(meta) ? meta : null)
  }
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [name, answeringLater((call) => run(name, method, call))]),
  )
}
