import { type Catalog, type Extension, type JsonObject, ProtocolError, type ToolDefinition } from '@toolwright/core'
import { listTool, requireNoPromise } from '@toolwright/core/extension'
import { custom, type Diagnostics, describeValue, isObject } from '@toolwright/core/options'
import { shorten } from '@toolwright/schema'
import { type ToolListFormat, toolListFormats } from './tool-list-formats.js'

export const listFormatOptions = {
  /**
   * Tool lists in the format of a vendor, each served as `tools/list/NAME`. `{}` disables all formats. Default:
   * `toolListFormats`.
   * @see docs/how-to/format-for-llms.md
   */
  listFormats: custom<Readonly<Record<string, ToolListFormat>>, Readonly<Record<string, ToolListFormat>>>(
    '`Record<string, ToolListFormat>`',
    checkListFormats,
    { default: toolListFormats },
  ),
}

const prefix = 'tools/list/'

/**
 * Adds `tools/list/NAME`: all tools on one page, in the format of a model provider. These methods are not part of the protocol.
 * They return the same information as `tools/list`.
 *
 * @param formats Formats by name.
 */
export function createListFormatsExtension(formats: Readonly<Record<string, ToolListFormat>>): Extension {
  const names = Object.keys(formats)
  let tools: Catalog['tools']
  const createMethod = (name: string, format: ToolListFormat) => {
    // A list is the same array until the catalog changes.
    const results = new WeakMap<readonly ToolDefinition[], JsonObject>()
    return {
      access: 'everyone' as const,
      isSameForAll: () => !tools.dependsOnCaller,
      run: (_params: JsonObject, context: Parameters<typeof tools.visibleTo>[0]) => {
        const visible = tools.visibleTo(context)
        const result = results.get(visible) ?? {
          tools: requireNoPromise(format(visible.map(listTool)), `the list format '${name}'`),
        }
        results.set(visible, result)
        return result
      },
    }
  }
  const methods = Object.entries(formats).map(([name, format]) => [prefix + name, createMethod(name, format)] as const)
  return {
    id: 'toolwright/list-formats',
    // Never declared to clients, because clients can call its methods without negotiation.
    settings: () => null,
    prepare: ({ catalog }) => {
      tools = catalog.tools
    },
    methods: Object.fromEntries(methods),
    unknownMethod: (method) =>
      method.startsWith(prefix) && names.length > 0 ? unknownFormat(method.slice(prefix.length), names) : null,
  }
}

function unknownFormat(name: string, supportedFormats: readonly string[]): ProtocolError {
  const format = shorten(name)
  const detail = `There is no list of tools in the format '${format}'. The formats are ${supportedFormats.join(', ')}`
  return new ProtocolError('methodNotFound', `Unknown format: ${format}`, { detail, supportedFormats })
}

function checkListFormats(given: unknown, option: string, diagnostics: Diagnostics): boolean {
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
