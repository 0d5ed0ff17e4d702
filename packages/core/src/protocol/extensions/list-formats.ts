import type { ToolDefinition } from '../../catalog/definitions.js'
import type { ToolListFormat } from '../../formats/tool-list-formats.js'
import { listTool } from '../encode-definitions.js'
import { answering, type Method, type Methods } from '../era.js'
import type { ResultWriter } from '../methods/result-writer.js'

/** Prefix of the methods, which the name of the format follows. */
export const listFormatPrefix = 'tools/list/'

/**
 * Creates `tools/list/NAME`: all tools on one page, in the format of a model provider. These methods are not part of
 * the protocol. They return the same information as `tools/list`.
 */
export function createListFormatMethods(writer: ResultWriter): Methods {
  const formats = Object.entries(writer.dependencies.listFormats)
  return Object.fromEntries(formats.map(([name, format]) => [listFormatPrefix + name, createMethod(format, writer)]))
}

function createMethod(
  format: ToolListFormat,
  { dependencies, completeResult, cacheHints, privateHints }: ResultWriter,
): Method {
  // Serialized once per list: the array stays the same until the catalog changes.
  const written = new WeakMap<readonly ToolDefinition[], Buffer>()
  return answering(({ context }) => {
    const tools = dependencies.catalog.tools.visibleTo(context)
    const known = written.get(tools)
    if (known !== undefined) return known
    const list = JSON.stringify(format(tools.map(listTool)))
    const hints = dependencies.catalog.tools.isGuarded ? privateHints : cacheHints
    const bytes = Buffer.from(completeResult(`"tools":${list}${hints}`, null))
    written.set(tools, bytes)
    return bytes
  })
}
