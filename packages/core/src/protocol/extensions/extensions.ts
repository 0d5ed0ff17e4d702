import { isAdmitted, rejectionBy } from '../../authorization/access-rule.js'
import type { FeatureMethod } from '../../call/call.js'
import type { Catalog } from '../../catalog/catalog.js'
import type { Principal } from '../../context/principal.js'
import type { Recipient } from '../../context/viewer.js'
import { type ErrorLog, logFailure } from '../../errors/log-failure.js'
import { ProtocolError } from '../../errors/protocol-error.js'
import { requireNoPromise } from '../../errors/run-fenced.js'
import { isJsonObject, type JsonObject } from '../../rpc/messages.js'
import { requireExtension } from '../client-requests/client-capabilities.js'
import { answeringLater, type Method, type Methods } from '../era.js'
import { checkSize, type ResultWriter } from '../methods/result-writer.js'
import { whenUsed } from '../methods/when-used.js'
import type { RequestCall } from '../request-call.js'
import type { Revision } from '../revisions.js'
import type {
  EncodedMethods,
  ExtendedList,
  Extension,
  ExtensionMethod,
  ExtensionMethodOptions,
  ExtensionSubscription,
  PartExtension,
} from './extension.js'
import { type ExtensionUse, useOf } from './extension-use.js'
import { describeEntry, keyOfEntry } from './listed-meta.js'
import { createStartTask } from './start-task.js'

export class Extensions {
  readonly #uses: ReadonlyMap<PartExtension, ExtensionUse | undefined>

  constructor(
    readonly all: readonly PartExtension[],
    catalog: Catalog,
    private readonly log: ErrorLog,
  ) {
    this.#uses = new Map(all.map((extension) => [extension, useOf(extension, catalog)]))
  }

  open(): void {
    for (const { open } of this.all) open?.()
  }

  async close(): Promise<void> {
    const outcomes = await Promise.allSettled(this.all.map(async ({ close }) => close?.()))
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  createMethods(writer: ResultWriter): Methods {
    const methods = this.#of(writer.revision).map((extension): Methods => {
      const use = this.#uses.get(extension)
      const own = { ...wrapEncoded(extension, writer), ...wrapMethods(extension.methods, writer) }
      return use === undefined ? own : whenUsed([use], own)
    })
    return Object.assign({}, ...methods) as Methods
  }

  declaredTo(recipient: Recipient, revision: Revision): JsonObject {
    const declared = this.#of(revision)
      .filter((extension) => this.#uses.get(extension)?.isUsedBy(recipient) !== false)
      .map(
        ({ id, settings }) =>
          [id, settings === undefined ? {} : settingsFor(id, settings, recipient.principal)] as const,
      )
    return Object.fromEntries(declared.filter(([, settings]) => settings !== null)) as JsonObject
  }

  unknownMethod(name: string): ProtocolError | null {
    for (const { unknownMethod } of this.all) {
      const error = unknownMethod?.(name) ?? null
      if (error !== null) return error
    }
    return null
  }

  createStartTask(writer: ResultWriter): FeatureMethod['startTask'] {
    const starting = this.#of(writer.revision).find(startsTasks)
    return starting === undefined ? null : createStartTask(starting, writer.completeAs('task'))
  }

  async subscribe(asked: JsonObject, call: RequestCall): Promise<readonly ExtensionSubscription[]> {
    const subscribed = await Promise.all(
      this.#of(call.revision).map(async (extension) => {
        const { subscribedMember: member } = extension
        if (member === undefined) return subscribeTo(extension, asked, call)
        const value = asked[member.name] ?? null
        if (value === null) return null
        requireExtension(call.context.clientCapabilities, extension.id)
        return member.read(value, call.context)
      }),
    )
    return subscribed.filter((subscription) => subscription !== null)
  }

  extendEntries(list: string): ((entry: JsonObject) => JsonObject) | null {
    const extending = this.all.filter(({ listedMeta }) => listedMeta?.[list as ExtendedList] !== undefined)
    if (extending.length === 0) return null
    return (entry) => {
      const added = extending.map((extension) => this.#describe(extension, list as ExtendedList, entry))
      const given = added.filter((meta) => meta !== undefined)
      if (given.length === 0) return entry
      return { ...entry, _meta: Object.assign({}, entry['_meta'], ...given) as JsonObject }
    }
  }

  /** Returns no members if the extension fails: the list must not lack its other entries. */
  #describe(extension: Extension, list: ExtendedList, entry: JsonObject): JsonObject | undefined {
    try {
      return describeEntry(extension, list, entry)
    } catch (error) {
      const fields = { extension: extension.id, list, entry: keyOfEntry(entry) }
      logFailure(this.log, error, fields, 'listedMeta of an extension failed for an entry of a list')
      return undefined
    }
  }

  #of(revision: Revision): readonly PartExtension[] {
    return this.all.filter(({ era = revision.era }) => era === revision.era)
  }
}

export function startsTasks<Part extends PartExtension>(
  extension: Part,
): extension is Part & Required<Pick<Part, 'startTask'>> {
  return extension.startTask !== undefined
}

function wrapEncoded({ id, encodedMethods = {} }: PartExtension, { completeResult }: ResultWriter): Methods {
  const wrap = (run: EncodedMethods[string]): Method =>
    answeringLater(async ({ context, request }) => {
      requireExtension(context.clientCapabilities, id)
      return completeResult(await run(request.params, context), null)
    })
  return Object.fromEntries(Object.entries(encodedMethods).map(([name, run]) => [name, wrap(run)]))
}

function wrapMethods(methods: Extension['methods'] = {}, writer: ResultWriter): Methods {
  return Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, wrapMethod(name, method, writer)]))
}

function wrapMethod(name: string, method: ExtensionMethod | ExtensionMethodOptions, writer: ResultWriter): Method {
  const { run, access, isSameForAll } = typeof method === 'function' ? { run: method } : method
  const { dependencies, completeResult } = writer
  const guarded = { rule: access === 'everyone' ? null : dependencies.catalog.defaultRule }
  const encode = (result: JsonObject): string => {
    const { _meta: meta, ...members } = result
    const json = JSON.stringify(members).slice(1, -1)
    const text = isSameForAll === undefined ? checkSize(json, `Method '${name}'`, dependencies) : json
    return completeResult(text + hintsOf(text, isSameForAll, writer), isJsonObject(meta) ? meta : null)
  }
  const cached = new WeakMap<JsonObject, Buffer>()
  return answeringLater(async (call) => {
    const { context, cancellation, request } = call
    if (!isAdmitted(guarded, context.principal)) {
      throw (
        rejectionBy(guarded.rule, context.principal) ?? new ProtocolError('methodNotFound', `Method not found: ${name}`)
      )
    }
    call.started()
    const running = Promise.resolve().then(() => run(request.params, context))
    const result: unknown = await cancellation.race(running, dependencies.limits.callTimeoutMs)
    if (!isJsonObject(result)) throw new TypeError(`The method '${name}' returned something that is not an object`)
    if ('resultType' in result) throw new TypeError(`The method '${name}' returned resultType, which the server sets`)
    if (isSameForAll === undefined) return encode(result)
    const bytes = cached.get(result) ?? Buffer.from(encode(result))
    cached.set(result, bytes)
    return bytes
  })
}

function hintsOf(
  members: string,
  isSameForAll: ExtensionMethodOptions['isSameForAll'],
  { cacheHints, privateHints }: ResultWriter,
): string {
  if (isSameForAll === undefined) return ''
  const hints = isSameForAll() ? cacheHints : privateHints
  return members === '' ? hints.slice(1) : hints
}

async function subscribeTo(
  { id, notifications = [], settings }: Extension,
  asked: JsonObject,
  { context }: RequestCall,
): Promise<ExtensionSubscription | null> {
  if (notifications.length === 0 || asked[id] !== true) return null
  if (settings !== undefined && settingsFor(id, settings, context.principal) === null) return null
  requireExtension(context.clientCapabilities, id)
  return { filter: { [id]: true }, methods: notifications }
}

function settingsFor(
  id: string,
  settings: NonNullable<Extension['settings']>,
  principal: Principal | null,
): JsonObject | null {
  return requireNoPromise(settings(principal), `settings of extension '${id}'`)
}
