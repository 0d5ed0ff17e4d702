import type { Catalog } from '../catalog/catalog.js'
import type { Diagnostics } from '../errors/diagnostics.js'
import type { PartExtension } from '../protocol/extensions/extension.js'
import { startsTasks } from '../protocol/extensions/extensions.js'

export function checkTasks(extensions: readonly PartExtension[], { tools }: Catalog, diagnostics: Diagnostics): void {
  if (extensions.some(startsTasks)) return
  for (const { name } of tools.all.filter(({ task }) => task === 'required')) {
    const fix = "Create the server with createServer of @toolwright/server, or give `task: 'optional'`."
    diagnostics.add('bad-option', `Tool '${name}' has task: 'required', but this server has no tasks. ${fix}`)
  }
}
