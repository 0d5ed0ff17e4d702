import type { McpClient } from '@toolwright/client'
import type { JsonObject } from '@toolwright/core'
import { objectsOf, textOf } from './json.js'

export interface UpstreamLists {
  readonly tools: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  readonly resources: readonly JsonObject[]
  readonly resourceTemplates: readonly JsonObject[]
  readonly completes: boolean
}

type ListName = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'

const methods: Readonly<Record<ListName, string>> = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
}

/** Maximum number of pages, for an upstream whose list never ends. */
const maxPages = 1000

/** Reads the lists that the upstream has. @param maxFeatures Maximum number of entries of all lists together. */
export async function readLists(client: McpClient, maxFeatures: number): Promise<UpstreamLists> {
  const { tools, prompts, resources, completions } = client.capabilities
  const left = { entries: maxFeatures }
  const read = (name: ListName, capability: unknown): Promise<readonly JsonObject[]> =>
    capability === undefined ? Promise.resolve([]) : readList(client, name, left)
  return {
    tools: await read('tools', tools),
    prompts: await read('prompts', prompts),
    resources: await read('resources', resources),
    resourceTemplates: await read('resourceTemplates', resources),
    completes: completions !== undefined,
  }
}

async function readList(client: McpClient, name: ListName, left: { entries: number }): Promise<readonly JsonObject[]> {
  const entries: JsonObject[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages && left.entries > 0; page++) {
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    const result = await client.request(methods[name], cursor === undefined ? {} : { cursor })
    const found = objectsOf(result[name]).slice(0, left.entries)
    entries.push(...found)
    left.entries -= found.length
    cursor = textOf(result['nextCursor'])
    if (cursor === undefined || cursor === '') break
  }
  return entries
}
