import {
  type AddedCompletion,
  type AddedPrompt,
  type AddedResource,
  type AddedTool,
  type CompletionRequest,
  type CompletionReturned,
  isJsonObject,
  type JsonObject,
  type McpContext,
  result,
} from '@toolwright/core'
import { describePrompt, describeResource, describeTool } from './describe-features.js'
import { headerParametersOf, headersFor } from './header-parameters.js'
import { objectsOf, textOf } from './json.js'
import { mapBlocks, mapContents, withMappedMeta } from './map-results.js'
import { frontName, maxNameLength } from './names.js'
import type { ToolSettings, UpstreamTool } from './options.js'
import type { UpstreamLists } from './read-lists.js'
import type { Relay } from './relay.js'
import type { Upstream } from './upstream.js'
import { hasScheme } from './uris.js'

/** A feature of an upstream, and what it becomes on this server. */
export type Feature = {
  /** Name or URI on this server. */
  readonly key: string
  /** Name or URI of the upstream, such as `tool 'forecast'`. */
  readonly origin: string
  /** The listed entry as JSON, to find changes. */
  readonly listed: string
} & (
  | { readonly kind: 'tool'; readonly added: AddedTool }
  | { readonly kind: 'prompt'; readonly added: AddedPrompt; readonly completions: readonly AddedCompletion[] }
  | { readonly kind: 'resource'; readonly added: AddedResource; readonly completions: readonly AddedCompletion[] }
)

export interface LeftOut {
  readonly origin: string
  readonly reason: string
}

export interface BuiltFeatures {
  readonly features: readonly Feature[]
  readonly leftOut: readonly LeftOut[]
}

type Build = (entry: JsonObject) => Feature | LeftOut

export function buildFeatures(lists: UpstreamLists, upstream: Upstream, relay: Relay): BuiltFeatures {
  const builder = new FeatureBuilder(upstream, relay, lists.completes)
  const built = [
    ...lists.tools.map(builder.tool),
    ...lists.prompts.map(builder.prompt),
    ...lists.resources.map(builder.resource),
    ...lists.resourceTemplates.map(builder.template),
  ]
  const features: Feature[] = []
  const leftOut: LeftOut[] = []
  const keys = new Set<string>()
  for (const one of built) {
    if (!('kind' in one)) leftOut.push(one)
    else if (keys.has(`${one.kind} ${one.key}`))
      leftOut.push({ origin: one.origin, reason: `another one has become ${one.kind} '${one.key}'` })
    else {
      keys.add(`${one.kind} ${one.key}`)
      features.push(one)
    }
  }
  return { features, leftOut }
}

class FeatureBuilder {
  readonly #prefix: string
  readonly #access: Pick<ToolSettings, 'authorize' | 'allowAnonymous' | 'hooks'>

  constructor(
    private readonly upstream: Upstream,
    private readonly relay: Relay,
    private readonly completes: boolean,
  ) {
    const { prefix = `${upstream.name}_`, authorize, allowAnonymous, hooks } = upstream.options
    this.#prefix = prefix
    this.#access = {
      ...(authorize === undefined ? {} : { authorize }),
      ...(allowAnonymous ? { allowAnonymous } : {}),
      ...(hooks === undefined ? {} : { hooks }),
    }
  }

  readonly tool: Build = (entry) => {
    const { uris, options } = this.upstream
    const name = textOf(entry['name'])
    if (name === undefined || name === '') return { origin: this.#origin('tool', '?'), reason: 'it has no name' }
    const origin = this.#origin('tool', name)
    const settings = options.tool?.(entry as UpstreamTool) ?? {}
    if (settings === false) return { origin, reason: 'the option tool returned false' }
    const key = frontName(this.#prefix, name)
    if (key.length > maxNameLength) return { origin, reason: `'${key}' is longer than ${maxNameLength} characters` }
    const parameters = headerParametersOf(entry['inputSchema'])
    const handler = async (args: unknown, context: McpContext): Promise<unknown> => {
      const given = (args ?? {}) as JsonObject
      const returned = await this.relay.send(
        {
          method: 'tools/call',
          params: { name, arguments: given },
          ...(parameters.length === 0 ? {} : { headers: headersFor(parameters, given) }),
        },
        context,
      )
      return this.#toResult(returned)
    }
    const access = 'authorize' in settings || 'allowAnonymous' in settings ? withoutRule(this.#access) : this.#access
    const added: AddedTool = {
      ...describeTool(entry, uris),
      ...(this.#hasTasks ? { task: 'optional', taskStart: 'by-handler' } : {}),
      ...access,
      ...settings,
      name: key,
      handler,
    }
    return { kind: 'tool', key, origin, listed: JSON.stringify(entry), added }
  }

  readonly prompt: Build = (entry) => {
    const { uris } = this.upstream
    const name = textOf(entry['name'])
    if (name === undefined || name === '') return { origin: this.#origin('prompt', '?'), reason: 'it has no name' }
    const origin = this.#origin('prompt', name)
    const key = frontName(this.#prefix, name)
    if (key.length > maxNameLength) return { origin, reason: `'${key}' is longer than ${maxNameLength} characters` }
    const handler = async (args: unknown, context: McpContext): Promise<unknown> => {
      const got = await this.relay.send({ method: 'prompts/get', params: { name, arguments: args ?? {} } }, context)
      const messages = objectsOf(got['messages']).map((message) => ({
        ...message,
        content: mapBlocks(message['content'], uris),
      }))
      return withMappedMeta({ ...got, messages }, uris)
    }
    const added: AddedPrompt = { ...describePrompt(entry, uris), ...this.#access, name: key, handler }
    const names = objectsOf(entry['arguments']).flatMap((argument) => textOf(argument['name']) ?? [])
    const ref = { type: 'ref/prompt', name }
    const completions = this.completes ? names.map((argument) => this.#completion({ prompt: key, argument }, ref)) : []
    return { kind: 'prompt', key, origin, listed: JSON.stringify(entry), added, completions }
  }

  readonly resource: Build = (entry) => this.#resource(entry, 'uri', 'resource')

  readonly template: Build = (entry) => this.#resource(entry, 'uriTemplate', 'template')

  #resource(entry: JsonObject, member: 'uri' | 'uriTemplate', label: string): Feature | LeftOut {
    const { uris } = this.upstream
    const uri = textOf(entry[member])
    if (uri === undefined) return { origin: this.#origin(label, '?'), reason: 'it has no URI' }
    const origin = this.#origin(label, uri)
    if (!hasScheme(uri)) return { origin, reason: 'its URI does not begin with a scheme' }
    const key = uris.toFront(uri)
    const handler = async (_: unknown, context: McpContext, requested: string): Promise<unknown> => {
      const params = { uri: uris.toUpstream(requested) }
      const read = await this.relay.send({ method: 'resources/read', params, uri: requested }, context)
      const contents = objectsOf(read['contents']).map((one) => mapContents(one, uris))
      return withMappedMeta({ ...read, contents }, uris)
    }
    const name = textOf(entry['name']) ?? uri
    const described = describeResource(entry, uris)
    const added: AddedResource = {
      ...(key.startsWith('ui://') ? withoutType(described) : described),
      // Hosts show the title, and the same title can come from several upstreams.
      ...(this.upstream.options.keepUris ? {} : { title: `${described.title ?? name} (${this.upstream.name})` }),
      ...this.#access,
      uri: key,
      name,
      handler,
    }
    const variables = [...uri.matchAll(/\{[^A-Za-z0-9_]?([^{}]*)\}/g)].flatMap(([, names = '']) => names.split(','))
    const ref = { type: 'ref/resource', uri }
    const completions =
      this.completes && label === 'template'
        ? variables.map((argument) => this.#completion({ resource: key, argument }, ref))
        : []
    return { kind: 'resource', key, origin, listed: JSON.stringify(entry), added, completions }
  }

  #completion(
    target: { prompt: string; argument: string } | { resource: string; argument: string },
    ref: JsonObject,
  ): AddedCompletion {
    const handler = async (request: CompletionRequest, context: McpContext): Promise<CompletionReturned> => {
      const params = {
        ref,
        argument: { name: target.argument, value: request.value },
        ...(Object.keys(request.arguments).length === 0 ? {} : { context: { arguments: request.arguments } }),
      }
      const { completion } = await this.relay.send({ method: 'completion/complete', params }, context)
      return (isJsonObject(completion) ? completion : { values: [] }) as unknown as CompletionReturned
    }
    return { ...target, ...(this.#access.hooks === undefined ? {} : { hooks: this.#access.hooks }), handler }
  }

  /** Passes on the members of a result that the protocol defines. */
  #toResult({ content, structuredContent, isError, _meta }: JsonObject): unknown {
    const { uris } = this.upstream
    return result({
      content: (content === undefined ? [] : mapBlocks(content, uris)) as never,
      ...(structuredContent === undefined ? {} : { structuredContent }),
      ...(isError === true ? { isError } : {}),
      ...(isJsonObject(_meta) ? { _meta: withMappedMeta({ _meta }, uris)['_meta'] as JsonObject } : {}),
    })
  }

  get #hasTasks(): boolean {
    const { extensions } = this.upstream.own.capabilities
    return isJsonObject(extensions) && isJsonObject(extensions['io.modelcontextprotocol/tasks'])
  }

  #origin(kind: string, name: string): string {
    return `${this.upstream.name}: ${kind} '${name}'`
  }
}

function withoutRule({ hooks }: Pick<ToolSettings, 'hooks'>): Pick<ToolSettings, 'hooks'> {
  return hooks === undefined ? {} : { hooks }
}

/** Pages of apps always have the same media type, which this server adds. */
function withoutType<Described extends { readonly mimeType?: string | undefined }>(described: Described) {
  return { ...described, mimeType: undefined }
}
