import type { ContentBlock } from '@modelcontextprotocol/client'

/** Arguments and result of one tool. */
export interface ToolType {
  readonly arguments: object
  readonly result: unknown
}

/**
 * The tools of a server by name, for `connect<Tools>`. The command `toolwright types` writes this interface:
 *
 * @example
 * export interface Tools {
 *   add: { arguments: { a: number; b: number }; result: { sum: number } }
 * }
 */
export type ToolTypes<Tools> = { readonly [Name in keyof Tools]: ToolType }

/** Type of the tools if `connect` has no type argument: any name, any arguments and any result. */
export interface AnyTools {
  readonly [name: string]: { readonly arguments: Readonly<Record<string, unknown>>; readonly result: unknown }
}

/**
 * Result of a tool without an output schema: the text if all content is text, otherwise the content blocks, and `undefined`
 * without content.
 */
export type ToolContent = string | readonly ContentBlock[] | undefined

/** Parameters of `call` after the name: arguments may be left out if all of them are optional. */
export type CallParameters<Tool extends ToolType, Options> =
  // oxlint-disable-next-line typescript/no-empty-object-type
  {} extends Tool['arguments']
    ? [args?: Tool['arguments'], options?: Options]
    : [args: Tool['arguments'], options?: Options]
