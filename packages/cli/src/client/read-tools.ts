import { isSpecType, SdkErrorCode, type Tool } from '@modelcontextprotocol/client'
import { ClientError } from '@toolwright/client'
import { note, oneLine } from '../terminal.js'
import type { Connection } from './connect.js'
import { isSchema } from './schema-types.js'

const maxPages = 64

const anything = {
  '~standard': { version: 1, vendor: 'toolwright', validate: (value: unknown) => ({ value }) },
} as const

/** Lists the tools. Leaves out invalid tools with a note, because one mistake must not hide the other tools. */
export async function readTools({ client }: Connection): Promise<readonly Tool[]> {
  try {
    return await client.allTools()
  } catch (error) {
    const isInvalid = error instanceof ClientError && error.code === SdkErrorCode.InvalidResult
    if (!isInvalid) throw error
    const listed = await readUnchecked(client.official)
    const invalid = listed.filter((each) => !isSpecType.Tool(each))
    if (invalid.length === 0) throw error
    const names = invalid.map((each, index) => nameOf(each) ?? `number ${index + 1}`)
    note(`Left out, because the server lists them with an invalid schema: ${names.join(', ')}`)
    const valid = listed.filter((each) => isSpecType.Tool(each))
    // A call lists the tools again, to check the name of its tool.
    Object.assign(client, { allTools: () => Promise.resolve(valid) })
    return valid
  }
}

interface Requests {
  request(request: object, schema: typeof anything): Promise<unknown>
}

async function readUnchecked(official: Requests): Promise<readonly unknown[]> {
  const tools: unknown[] = []
  let cursor: unknown
  for (let page = 0; page < maxPages; page++) {
    const params = cursor === undefined ? {} : { cursor }
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    const result = await official.request({ method: 'tools/list', params }, anything)
    const { tools: listed, nextCursor } = isSchema(result) ? result : {}
    if (Array.isArray(listed)) tools.push(...(listed as unknown[]))
    if (typeof nextCursor !== 'string') break
    cursor = nextCursor
  }
  return tools
}

function nameOf(tool: unknown): string | null {
  return isSchema(tool) && typeof tool['name'] === 'string' ? oneLine(tool['name']) : null
}
