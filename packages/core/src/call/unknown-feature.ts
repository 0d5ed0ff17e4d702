import { ProtocolError, shorten } from '../errors/protocol-error.js'
import { suggestNames } from './suggest-names.js'

/** Error for an unknown feature, with suggestions. @param kind `tool`, `prompt`, … */
export function unknownFeature(kind: string, name: string, known: Iterable<string>): ProtocolError {
  const suggestions = suggestNames(name, known)
  const data = suggestions.length > 0 ? { suggestions } : undefined
  return new ProtocolError('invalidParams', `Unknown ${kind}: ${shorten(name)}`, data)
}
