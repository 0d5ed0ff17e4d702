import type { Tool } from '@modelcontextprotocol/client'
import { CommandError } from '../command-error.js'
import { loadBundled } from '../load-bundled.js'
import { cut, note, oneLine } from '../terminal.js'
import { code, comment, compare, Definitions, type PlainSchema, SchemaReader } from './plain-schema.js'

/**
 * Writes the declarations of the tools, for `connect<Tools>` of `@toolwright/client`. The result does not depend on the
 * order of the tools.
 *
 * @param server Name of the server, for the comment at the top.
 */
export async function declareTools(server: string, tools: readonly Tool[]): Promise<string> {
  const definitions = new Definitions(JSON.stringify(tools))
  const sorted = withoutDuplicates(tools).toSorted(({ name: one }, { name: other }) => compare(one, other))
  const properties = Object.fromEntries(
    sorted.map((tool) => [definitions.hide(tool.name), describeTool(tool, definitions)]),
  )
  const usesContent = sorted.some(({ outputSchema }) => outputSchema === undefined)
  const header = [
    `// Tools of the server ${cut(oneLine(server), 100)}, for \`connect<Tools>\` of @toolwright/client.`,
    '// Written by `toolwright types`. Run the command again instead of changing this file.',
    ...(usesContent ? [`import type { ToolContent } from '@toolwright/client'`] : []),
  ]
  try {
    definitions.cutCircles()
    const schema = { ...object(properties), definitions: definitions.schemas }
    const { compile } = loadBundled<Generator>('json-schema-to-typescript')
    const generated = await compile(schema, 'Tools', {
      // Forbids further properties, so that the compiler finds misspelled arguments.
      additionalProperties: false,
      bannerComment: header.join('\n'),
      style: { semi: false, singleQuote: true, bracketSpacing: true, printWidth: 120 },
      // References to files and URLs have already been removed.
      $refOptions: { resolve: { external: false } },
    })
    return definitions.reveal(tidy(generated))
  } catch (error) {
    throw new CommandError(`The schemas of the tools cannot be read: ${oneLine((error as Error).message)}`)
  }
}

interface Generator {
  readonly compile: (schema: object, name: string, options: object) => Promise<string>
}

/** Keeps the first tool of each name, because a type cannot have two members of one name. */
function withoutDuplicates(tools: readonly Tool[]): readonly Tool[] {
  const first = new Map<string, Tool>()
  for (const tool of tools) {
    if (first.has(tool.name)) note(`The server lists the tool ${oneLine(tool.name)} twice: the first one is written.`)
    else first.set(tool.name, tool)
  }
  return [...first.values()]
}

/** Puts short comments on one line, and an empty line before each declaration. */
function tidy(generated: string): string {
  return generated
    .replaceAll(/^( *)\/\*\*\n *\* (.{1,100})\n *\*\/$/gm, '$1/** $2 */')
    .replaceAll(/^\}\n(?=export |\/\*\*)/gm, '}\n\n')
}

function describeTool(tool: Tool, definitions: Definitions): PlainSchema {
  const { name, inputSchema, outputSchema } = tool
  const description = tool.description ?? tool.title ?? tool.annotations?.title
  return {
    ...comment({ description }),
    ...object({
      arguments: new SchemaReader(inputSchema, name, definitions).readArguments(),
      result:
        outputSchema === undefined
          ? code('ToolContent')
          : new SchemaReader(outputSchema, `${name} result`, definitions).read(outputSchema),
    }),
  }
}

function object(properties: Readonly<Record<string, PlainSchema>>): PlainSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}
