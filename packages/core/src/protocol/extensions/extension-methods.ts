import { isAdmitted, rejectionBy } from '../../authorization/access-rule.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { isJsonObject, type JsonObject } from '../../rpc/messages.js'
import { answeringLater, type Methods } from '../era.js'
import { checkSize, type ResultWriter } from '../methods/result-writer.js'
import type { RequestCall } from '../request-call.js'
import type { ExtendedList, Extension, ExtensionMethod } from './extension.js'

/** Creates the methods of the application's extensions for one revision. */
export function createExtensionMethods(writer: ResultWriter): Methods {
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
  const methods = dependencies.extensions.flatMap((extension) => Object.entries(extension.methods ?? {}))
  return Object.fromEntries(methods.map(([name, method]) => [name, answeringLater((call) => run(name, method, call))]))
}

/** Adds members that extensions define to the `_meta` of list entries. @returns `null` if no extension does so. */
export function extendEntries(
  extensions: readonly Extension[],
  list: string,
): ((entry: JsonObject) => JsonObject) | null {
  const describers = extensions.flatMap(({ listedMeta }) => listedMeta?.[list as ExtendedList] ?? [])
  if (describers.length === 0) return null
  return (entry) => {
    const added = describers.map((describe) => describe(entry)).filter((meta) => meta !== undefined)
    if (added.length === 0) return entry
    return { ...entry, _meta: Object.assign({}, entry['_meta'], ...added) as JsonObject }
  }
}

/** Returns the settings of the extensions that are declared to a caller, by identifier. */
export function declaredExtensions(
  extensions: readonly Extension[],
  principal: RequestCall['context']['principal'],
): JsonObject {
  const declared = extensions.map(
    ({ id, settings }) => [id, settings === undefined ? {} : settings(principal)] as const,
  )
  return Object.fromEntries(declared.filter(([, settings]) => settings !== null)) as JsonObject
}
