import { wireNameOf } from '@toolwright/core/wire'
import type { MethodName } from './class-tools.js'

/** Tool names of a class, for names that are not the method name in snake_case. */
export interface ToolsOptions<Class = unknown> {
  /** Prefix of the controller. */
  readonly prefix?: string
  /** Names given in decorators, by method. The prefix also precedes these names. */
  readonly names?: { readonly [Name in MethodName<Class>]?: string }
}

export type CallMethod<Options> = (
  method: string,
  tool: string,
  args: object | undefined,
  options: Options | undefined,
) => unknown

/**
 * Names that are never tools, because the language, loggers and test libraries read them from any object: `await` reads
 * `then`, `JSON.stringify` reads `toJSON`, Jest reads `asymmetricMatch` and `$$typeof`.
 */
const reserved = /^(then|toJSON|asymmetricMatch|_isMockFunction|nodeType|tagName|\$\$.*|@@.*|__.*)$/

/** Creates an object with a function for each tool. The name of a property determines the tool. */
export function createToolProxy<Options>({ prefix, names = {} }: ToolsOptions, call: CallMethod<Options>): object {
  const given = new Map(Object.entries<string | undefined>(names))
  const functions = new Map<string, (args?: object, options?: Options) => unknown>()
  return new Proxy(Object.freeze({}), {
    get: (target, method) => {
      if (typeof method !== 'string') return undefined
      if (method in Object.prototype) return Reflect.get(target, method)
      if (reserved.test(method)) return undefined
      let tool = functions.get(method)
      if (tool === undefined) {
        const name = wireNameOf(method, { prefix, name: given.get(method) })
        tool = (args, options) => call(method, name, args, options)
        functions.set(method, tool)
      }
      return tool
    },
  })
}
