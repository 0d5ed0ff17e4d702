import type {
  Client,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ListToolsResult,
  Prompt,
  Resource,
  ResourceTemplateType,
  Tool,
} from '@modelcontextprotocol/client'
import type { Connection, OfficialOptions } from './connection.js'
import type { RequestOptions } from './options.js'

/** Options of methods that list one page, such as `listTools`. */
export interface ListOptions extends RequestOptions {
  /** The `nextCursor` of the previous page. Default: the first page. */
  readonly cursor?: string
}

/** Options of methods that list all pages, such as `allTools`. */
export interface AllOptions extends RequestOptions {
  /** Whether to request the list even if a cached list is still valid. Default: false. */
  readonly fresh?: boolean
}

interface Pages {
  'tools/list': ListToolsResult
  'prompts/list': ListPromptsResult
  'resources/list': ListResourcesResult
  'resources/templates/list': ListResourceTemplatesResult
}

/** Lists one page. Bypasses the list methods of the official client, which always read all pages. */
export function listPage<Method extends keyof Pages>(
  connection: Connection,
  method: Method,
  { cursor, ...options }: ListOptions,
): Promise<Pages[Method]> {
  const params = cursor === undefined ? {} : { cursor }
  return connection.request(
    `The request ${method}`,
    options,
    async (official, limits) => (await official.request({ method, params }, limits)) as Pages[Method],
  )
}

interface Items {
  tools: Tool[]
  prompts: Prompt[]
  resources: Resource[]
  resourceTemplates: ResourceTemplateType[]
}

type CacheOptions = OfficialOptions & { readonly cacheMode: 'use' | 'refresh' }

const lists: { readonly [Name in keyof Items]: (official: Client, options: CacheOptions) => Promise<Items[Name]> } = {
  tools: async (official, options) => (await official.listTools(undefined, options)).tools,
  prompts: async (official, options) => (await official.listPrompts(undefined, options)).prompts,
  resources: async (official, options) => (await official.listResources(undefined, options)).resources,
  resourceTemplates: async (official, options) =>
    (await official.listResourceTemplates(undefined, options)).resourceTemplates,
}

/** Lists the items of all pages. A list is cached for as long as the server allows. */
export function listAll<Name extends keyof Items>(
  connection: Connection,
  name: Name,
  { fresh = false, ...options }: AllOptions,
): Promise<Items[Name]> {
  return connection.request(`The list of ${name}`, options, (official, limits) =>
    lists[name](official, { ...limits, cacheMode: fresh ? 'refresh' : 'use' }),
  )
}
