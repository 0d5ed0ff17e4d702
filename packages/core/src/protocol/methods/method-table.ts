import { ProtocolError, shorten } from '../../errors/protocol-error.js'
import type { ProtocolDependencies } from '../dependencies.js'
import type { Era, Methods } from '../era.js'
import { listFormatPrefix } from '../extensions/list-formats.js'
import type { Revision } from '../revisions.js'

/** Creates the methods of every revision of an era. @returns The function that finds them. */
export function createMethodTable(
  era: Revision['era'],
  dependencies: ProtocolDependencies,
  createMethods: (dependencies: ProtocolDependencies, revision: Revision) => Methods,
): Era['findMethod'] {
  const tables = new Map(
    dependencies.revisions
      .of(era)
      .map((revision) => [revision, new Map(Object.entries(createMethods(dependencies, revision)))]),
  )
  return (name, revision) => {
    const method = tables.get(revision)?.get(name)
    if (method === undefined) throw unknownMethod(name, Object.keys(dependencies.listFormats))
    return method
  }
}

/** Error for an unknown method. Suggests the supported formats of lists if only the format is unknown. */
function unknownMethod(method: string, supportedFormats: readonly string[]): ProtocolError {
  if (!method.startsWith(listFormatPrefix) || supportedFormats.length === 0) {
    return new ProtocolError('methodNotFound', `Method not found: ${shorten(method)}`)
  }
  const format = shorten(method.slice(listFormatPrefix.length))
  const detail = `There is no list of tools in the format '${format}'. The formats are ${supportedFormats.join(', ')}`
  return new ProtocolError('methodNotFound', `Unknown format: ${format}`, { detail, supportedFormats })
}
