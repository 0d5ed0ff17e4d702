import { describeValue } from '../errors/describe-value.js'
import type { Problems } from '../errors/problems.js'
import { featuresOf } from '../metadata/store.js'
import type { Class } from '../metadata/types.js'
import { Catalog } from './catalog.js'
import { defineMethod } from './define-method.js'
import type { ToolDefinition } from './tool-definition.js'

/** Defines the features of all controllers. What is wrong goes to `problems`, so that the caller can report it all. */
export function defineControllers(controllers: readonly unknown[], problems: Problems): readonly ToolDefinition[] {
  return [...new Set(controllers)].flatMap((controller) => defineController(controller, problems))
}

export function buildCatalog(definitions: readonly ToolDefinition[], problems: Problems): Catalog {
  const tools = new Map<string, ToolDefinition>()
  for (const tool of definitions) {
    const other = tools.get(tool.name)
    if (other === undefined) tools.set(tool.name, tool)
    else {
      const message = `Tool '${tool.name}' is declared by both ${other.origin} and ${tool.origin}. Rename one.`
      problems.add('duplicate-name', message)
    }
  }
  return new Catalog([...tools.values()])
}

function defineController(controller: unknown, problems: Problems): readonly ToolDefinition[] {
  if (typeof controller !== 'function') {
    const cause = controller === undefined ? ', as in a file that imports the file which imports it' : ''
    problems.add('bad-controller', `controllers: ${describeValue(controller)} is no class${cause}. List classes.`)
    return []
  }
  const features = featuresOf(controller as Class)
  if (features.length === 0) {
    problems.add(
      'no-features',
      `controllers: ${describeValue(controller)} has no method with @McpTool. Add one, or take it out of the list.`,
    )
  }
  return features.map((feature) => defineMethod(controller as Class, feature, problems)).filter((tool) => tool !== null)
}
