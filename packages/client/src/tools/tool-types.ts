import type { ContentBlock } from '@modelcontextprotocol/client'

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
 * Result of a tool without an output schema. If all content is text, the result is a string; otherwise, the content blocks.
 * `undefined` if there is no content.
 */
export type ToolContent = string | readonly ContentBlock[] | undefined

/** Parameters of `call` after the name: arguments can be left out if all of them are optional. */
export type CallParameters<Tool extends ToolType, Options> =
  // oxlint-disable-next-line typescript/no-empty-object-type
  {} extends Tool['arguments']
    ? [args?: Tool['arguments'], options?: Options]
    : [args: Tool['arguments'], options?: Options]
