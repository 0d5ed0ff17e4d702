import { shorten } from '@toolwright/schema'
import type { ClientInfo } from '../context/mcp-context.js'
import { isJsonObject } from '../rpc/messages.js'

export function readClientInfo(value: unknown): ClientInfo | null {
  if (!isJsonObject(value)) return null
  const { name, version, title } = value
  if (typeof name !== 'string') return null
  return {
    name: shorten(name),
    version: typeof version === 'string' ? shorten(version) : '',
    ...(typeof title === 'string' ? { title: shorten(title) } : {}),
  }
}
