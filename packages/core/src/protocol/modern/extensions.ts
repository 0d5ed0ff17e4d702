import type { Catalog } from '../../catalog/catalog.js'
import { appMimeType } from '../../content.js'
import { appsExtension } from '../../context/apps.js'
import type { Principal } from '../../context/principal.js'
import type { JsonObject } from '../../rpc/messages.js'
import { anyOf, type ExtensionUse, WatchedUse } from './extension-use.js'
import { tasksExtension } from './tasks/tasks-extension.js'

/** What of the extensions is in use, each with the settings that it is declared with. */
export class Extensions {
  readonly tasks: ExtensionUse
  readonly #all: readonly { readonly id: string; readonly use: ExtensionUse; readonly settings: JsonObject }[]

  constructor({ tools, resources, resourceTemplates, skills }: Catalog) {
    this.tasks = new WatchedUse(tools, ({ task }) => task !== null)
    const isPage = ({ mimeType }: { readonly mimeType: string | undefined }): boolean => mimeType === appMimeType
    const apps = anyOf([new WatchedUse(resources, isPage), new WatchedUse(resourceTemplates, isPage)])
    this.#all = [
      { id: tasksExtension, use: this.tasks, settings: {} },
      { id: appsExtension, use: apps, settings: {} },
      { id: 'io.modelcontextprotocol/skills', use: skills, settings: { directoryRead: true } },
    ]
  }

  /** The member of the capabilities that names those in use for a caller. Spec: extensions, "Negotiation". */
  capabilityFor(principal: Principal | null): JsonObject {
    const used = this.#all.filter(({ use }) => use.isUsedBy(principal)).map(({ id, settings }) => [id, settings])
    return used.length === 0 ? {} : { extensions: Object.fromEntries(used) as JsonObject }
  }
}
