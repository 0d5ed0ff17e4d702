import { shorten } from '@toolwright/schema'
import type { Call } from '../call/call.js'
import type { ResourcePlan } from '../call/find-resource.js'
import type { ResourceDefinition, ResourceTemplateDefinition } from '../catalog/definitions.js'
import { normalUri } from '../catalog/normal-uri.js'
import { appMimeType, isBase64, type ResourceContents, toBase64 } from '../content.js'
import { UnfitResult } from '../errors/call-errors.js'
import { ResourceNotFoundError } from '../errors/protocol-error.js'
import { isJsonObject, type JsonObject } from '../rpc/messages.js'
import type { Bindings } from './bind-handler.js'
import { isResourceContents } from './content-block.js'
import { compileFeature } from './feature-plan.js'
import { toJson, toPlain } from './plain-data.js'
import { toProtocolFailure } from './protocol-failure.js'

export function compileResourcePlan(
  resource: ResourceDefinition | ResourceTemplateDefinition,
  bindings: Bindings,
  timeoutMs: number,
): ResourcePlan {
  const { mimeType, ui } = resource
  const meta = ui === undefined ? {} : { _meta: { ui } }
  const name = 'uri' in resource ? resource.uri : resource.template.text
  const { handlerStep, ...feature } = compileFeature('resource', name, resource, bindings, timeoutMs)
  return Object.freeze({
    template: 'template' in resource ? resource.template : null,
    input: 'input' in resource ? resource.input : null,
    encode: (value: unknown, call: Call) => {
      const uri = call.uri as string
      const contents = toContents(value, { uri, mimeType, meta })
      if (contents === null) throw new ResourceNotFoundError(uri)
      return { contents, meta: metaOf(value) }
    },
    encodeError: (error: Error, call: Call) => {
      throw toProtocolFailure(error, `Resource '${shorten(call.uri as string)}'`, call)
    },
    // Policies are checked by the protocol method, because several rules can apply to one URI.
    run: handlerStep,
    ...feature,
  })
}

export interface ResourceResult {
  readonly contents: readonly ResourceContents[]
  readonly meta: JsonObject | null
}

function metaOf(value: unknown): JsonObject | null {
  if (!isJsonObject(value) || value['_meta'] === undefined) return null
  if (!Array.isArray(value['contents']) || !value['contents'].every(isResourceContents)) return null
  const meta: unknown = toPlain(value['_meta'])
  if (isJsonObject(meta)) return meta
  throw new UnfitResult('The _meta of the resource is not an object')
}

interface Described {
  readonly uri: string
  readonly mimeType: string | undefined
  /** Metadata that hosts need to display an app. Spec: MCP Apps, "UI Resource Format". */
  readonly meta: Pick<ResourceContents, '_meta'>
}

function toContents(value: unknown, described: Described): readonly ResourceContents[] | null {
  const { uri, mimeType, meta } = described
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return [{ uri, mimeType: mimeType ?? 'text/plain', text: value, ...meta }]
  if (value instanceof Uint8Array) {
    return [{ uri, mimeType: mimeType ?? 'application/octet-stream', blob: toBase64(value), ...meta }]
  }
  if (listOf(value).some(hasBareBytes)) throw new UnfitResult('The resource returned a blob that is not base64')
  const data = toPlain(value)
  const contents = listOf(data)
  const isContents = contents.length > 0 && contents.every(isResourceContents)
  if (isContents) return contents.map((own) => describeOwn(own, described))
  return [{ uri, mimeType: mimeType ?? 'application/json', text: toJson(data) }]
}

function listOf(value: unknown): unknown[] {
  return isJsonObject(value) && Array.isArray(value['contents']) ? value['contents'] : [value].flat()
}

/** Whether `blob` is not valid base64. Bytes would be sent as a JSON object, and clients reject invalid base64. */
function hasBareBytes(value: unknown): boolean {
  if (!isJsonObject(value) || typeof value['uri'] !== 'string') return false
  const { blob }: { readonly blob?: unknown } = value
  return blob instanceof Uint8Array || (typeof blob === 'string' && !isBase64(blob))
}

/**
 * Adds the declared type and metadata of the resource to returned contents with the same URI. The declared type of an app takes
 * precedence, because hosts display only apps of this type.
 */
function describeOwn(own: ResourceContents, { uri, mimeType, meta }: Described): ResourceContents {
  if (mimeType === undefined || normalUri(own.uri) !== normalUri(uri)) return own
  const type = mimeType === appMimeType ? mimeType : (own.mimeType ?? mimeType)
  const _meta = { ...meta._meta, ...own._meta }
  return { ...own, mimeType: type, ...(Object.keys(_meta).length === 0 ? {} : { _meta }) }
}
