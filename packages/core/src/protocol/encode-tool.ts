import type { ToolDefinition } from '../catalog/definitions.js'
import type { JsonObject } from '../rpc/messages.js'
import type { Revision } from './revisions.js'

/** A tool's entry in `tools/list`, with nothing in it that is younger than the revision. */
export function encodeTool(tool: ToolDefinition, revision: Revision): JsonObject {
  const hasTitles = revision.structuredContent !== 'none'
  return {
    name: tool.name,
    title: hasTitles ? tool.title : undefined,
    description: tool.description,
    inputSchema: tool.input.wire,
    outputSchema: fitsOutput(tool, revision) ? tool.output?.wire : undefined,
    annotations: revision.annotations ? annotationsOf(tool, hasTitles) : undefined,
    icons: revision.icons ? tool.icons : undefined,
    _meta: hasTitles ? tool.meta : undefined,
  }
}

/** Before 2026 a result was an object or nothing. */
function fitsOutput({ output }: ToolDefinition, { structuredContent }: Revision): boolean {
  if (structuredContent === 'any') return true
  return structuredContent === 'object' && output?.wire['type'] === 'object'
}

/** Where a tool has no title of its own, its annotations can hold it. */
function annotationsOf({ annotations, title }: ToolDefinition, hasTitles: boolean): ToolDefinition['annotations'] {
  return hasTitles || title === undefined ? annotations : { title, ...annotations }
}
