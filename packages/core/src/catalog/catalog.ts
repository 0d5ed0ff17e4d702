import type { McpContext } from '../context/mcp-context.js'
import { Problems } from '../errors/problems.js'
import type { ToolOptions } from '../metadata/types.js'
import type { Infer, InputSchema, OutputSchema } from '../schema/model.js'
import { defineTool } from './define-tool.js'
import type { ToolDefinition } from './tool-definition.js'

/** A tool that is added at run time: what a decorator says, and the function to run. */
export interface AddedTool<
  Input extends InputSchema | undefined = undefined,
  Output extends OutputSchema | undefined = undefined,
> extends ToolOptions<Input, Output> {
  readonly name: string
  readonly handler: (args: Input extends InputSchema ? Infer<Input> : unknown, context: McpContext) => unknown
}

export interface CatalogChange {
  readonly added: readonly ToolDefinition[]
  readonly removed: readonly string[]
}

/** Everything that is served, by name. Changing it at run time takes effect with the next request. */
export class Catalog {
  readonly #tools = new Map<string, ToolDefinition>()
  readonly #listeners: ((change: CatalogChange) => void)[] = []
  #sorted: readonly ToolDefinition[] | null = null

  constructor(tools: readonly ToolDefinition[] = []) {
    for (const tool of tools) this.#tools.set(tool.name, tool)
  }

  /** All tools, by name: the same set always has the same order, whenever and wherever it was put together. */
  get tools(): readonly ToolDefinition[] {
    this.#sorted ??= [...this.#tools.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return this.#sorted
  }

  tool(name: string): ToolDefinition | undefined {
    return this.#tools.get(name)
  }

  /**
   * Adds a tool that is a function.
   *
   * @throws BootError when its name is taken or bad, or a schema of it cannot be used; nothing is added then.
   */
  addTool<
    const Input extends InputSchema | undefined = undefined,
    const Output extends OutputSchema | undefined = undefined,
  >(tool: AddedTool<Input, Output>): void {
    const { handler, ...options } = tool
    const problems = new Problems()
    const source = { kind: 'function', handler } as const
    const definition = defineTool({ name: tool.name, origin: `tool '${tool.name}'`, source, options }, problems)
    if (this.#tools.has(tool.name)) {
      problems.add('duplicate-name', `Tool '${tool.name}' is already served. Remove it first, or choose another name.`)
    }
    problems.throwIfAny()
    this.#tools.set(definition.name, definition)
    this.#changed({ added: [definition], removed: [] })
  }

  /** Stops serving a tool; calls in flight end as they would have. Returns whether there was one. */
  removeTool(name: string): boolean {
    if (!this.#tools.delete(name)) return false
    this.#changed({ added: [], removed: [name] })
    return true
  }

  /** Runs the listener after each change, before the next request. */
  onChange(listener: (change: CatalogChange) => void): void {
    this.#listeners.push(listener)
  }

  #changed(change: CatalogChange): void {
    this.#sorted = null
    for (const listener of this.#listeners) listener(change)
  }
}
