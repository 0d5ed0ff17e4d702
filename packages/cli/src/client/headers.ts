import { usageError } from '../command-error.js'
import { type Flags, flagOf } from './flags.js'

export function readHeaders(flags: Flags): Record<string, string> {
  const headers: Record<string, string> = {}
  const token = flagOf(flags, 'bearer') ?? process.env['TOOLWRIGHT_TOKEN'] ?? ''
  if (token !== '') headers['authorization'] = `Bearer ${token}`
  for (const line of flags.get('header') ?? []) {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) {
      throw usageError(`--header is '${line}'. Give --header 'name: value'.`)
    }
    headers[name.toLowerCase()] = value
  }
  return headers
}
