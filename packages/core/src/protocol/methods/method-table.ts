import { shorten } from '@toolwright/schema'
import { ProtocolError } from '../../errors/protocol-error.js'
import type { ProtocolDependencies } from '../dependencies.js'
import type { Method, Methods } from '../era.js'
import type { Revision } from '../revisions.js'

export type FindMethod = (name: string, revision: Revision) => Method

export function createMethodTable(
  era: Revision['era'],
  dependencies: ProtocolDependencies,
  createMethods: (dependencies: ProtocolDependencies, revision: Revision) => Methods,
): FindMethod {
  const tables = new Map(
    dependencies.revisions
      .of(era)
      .map((revision) => [revision, new Map(Object.entries(createMethods(dependencies, revision)))]),
  )
  return (name, revision) => {
    const method = tables.get(revision)?.get(name)
    if (method !== undefined) return method
    const explained = dependencies.extensions.unknownMethod(name)
    throw explained ?? new ProtocolError('methodNotFound', `Method not found: ${shorten(name)}`)
  }
}
