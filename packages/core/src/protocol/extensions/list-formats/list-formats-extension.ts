import type { ToolDefinition } from '../../../catalog/definitions.js'
import { describeValue } from '../../../errors/describe-value.js'
import type { Diagnostics } from '../../../errors/diagnostics.js'
import { ProtocolError, shorten } from '../../../errors/protocol-error.js'
import { requireNoPromise } from '../../../errors/run-fenced.js'
import { isObject } from '../../../options/kinds.js'
import { listTool } from '../../encode-definitions.js'
import { answering, type Method } from '../../era.js'
import type { ResultWriter } from '../../methods/result-writer.js'
import type { BuiltInExtension } from '../extension.js'
import type { ToolListFormat } from './tool-list-formats.js'

/** Identifier of the extension. Never declared to clients, because clients can call its methods without negotiation. */
export const listFormatsId = 'toolwright/list-formats'

/** Prefix of the methods. The name of the format follows the prefix. */
const prefix = 'tools/list/'

/**
 * Adds `tools/list/NAME`: all tools on one page, in the format of a model provider. These methods are not part of the protocol.
 * They return the same information as `tools/list`.
 *
 * @param formats Formats by name.
 */
export function createListFormatsExtension(formats: Readonly<Record<string, ToolListFormat>>): BuiltInExtension {
  const names = Object.keys(formats)
  return {
    id: listFormatsId,
    settings: () => null,
    createMethods: (writer) =>
      Object.fromEntries(
        Object.entries(formats).map(([name, format]) => [prefix + name, createMethod(name, format, writer)]),
      ),
    unknownMethod: (method) =>
      method.startsWith(prefix) && names.length > 0 ? unknownFormat(method.slice(prefix.length), names) : null,
  }
}

function createMethod(
  name: string,
  format: ToolListFormat,
  { dependencies, completeResult, cacheHints, privateHints }: ResultWriter,
): Method {
  const { tools: registry } = dependencies.catalog
  // Serialized JSON of each list. A list is the same array until the catalog changes.
  const written = new WeakMap<readonly ToolDefinition[], Buffer>()
  return answering(({ context }) => {
    const tools = registry.visibleTo(context)
    const known = written.get(tools)
    if (known !== undefined) return known
    const list = JSON.stringify(requireNoPromise(format(tools.map(listTool)), `the list format '${name}'`))
    const hints = registry.dependsOnCaller ? privateHints : cacheHints
    const bytes = Buffer.from(completeResult(`"tools":${list}${hints}`, null))
    written.set(tools, bytes)
    return bytes
  })
}

function unknownFormat(name: string, supportedFormats: readonly string[]): ProtocolError {
  const format = shorten(name)
  const detail = `There is no list of tools in the format '${format}'. The formats are ${supportedFormats.join(', ')}`
  return new ProtocolError('methodNotFound', `Unknown format: ${format}`, { detail, supportedFormats })
}

/** Checks the formats that are served as `tools/list/NAME`. */
export function checkListFormats(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (!isObject(given)) {
    diagnostics.addBadOption(option, given, 'Give an object.')
    return false
  }
  const wrong = Object.entries(given).filter(
    ([name, format]) => !/^[\w.-]+$/.test(name) || typeof format !== 'function',
  )
  for (const [name, format] of wrong) {
    diagnostics.add(
      'bad-option',
      `${option} has '${name}': ${describeValue(format)}. Each name must consist of letters, digits and "_.-", ` +
        'and each value must be a function that takes the tools.',
    )
  }
  return wrong.length === 0
}
