import type { Catalog } from '../../catalog/catalog.js'
import { appMimeType } from '../../content.js'
import { appsExtension } from '../../context/apps.js'
import type { Viewer } from '../../context/viewer.js'
import type { JsonObject } from '../../rpc/messages.js'
import type { Extension } from './extension.js'
import { declaredExtensions } from './extension-methods.js'
import { anyOf, type ExtensionUse, WatchedUse } from './extension-use.js'
import { skillsExtension } from './skills/skills-extension.js'
import { tasksExtension } from './tasks/tasks-extension.js'

/** The extensions in use, each with its declared settings. */
export class Extensions {
  readonly tasks: ExtensionUse
  readonly #builtIn: readonly { readonly id: string; readonly use: ExtensionUse; readonly settings: JsonObject }[]

  constructor(
    { tools, resources, resourceTemplates, skills }: Catalog,
    private readonly custom: readonly Extension[],
  ) {
    this.tasks = new WatchedUse(tools, ({ task }) => task !== null)
    const isPage = ({ mimeType }: { readonly mimeType: string | undefined }): boolean => mimeType === appMimeType
    const apps = anyOf([new WatchedUse(resources, isPage), new WatchedUse(resourceTemplates, isPage)])
    this.#builtIn = [
      { id: tasksExtension, use: this.tasks, settings: {} },
      { id: appsExtension, use: apps, settings: {} },
      { id: skillsExtension, use: skills, settings: { directoryRead: true } },
    ]
  }

  /** Returns the capabilities' member with the extensions in use for a caller. Spec: extensions, "Negotiation". */
  capabilityFor(viewer: Viewer): JsonObject {
    const used = this.#builtIn.filter(({ use }) => use.isUsedBy(viewer)).map(({ id, settings }) => [id, settings])
    const extensions = {
      ...Object.fromEntries(used),
      ...declaredExtensions(this.custom, viewer.principal),
    } as JsonObject
    return Object.keys(extensions).length === 0 ? {} : { extensions }
  }
}
