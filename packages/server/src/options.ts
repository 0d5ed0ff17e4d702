import type { ServerOptions as CoreOptions } from '@toolwright/core'
import type { ServerPart } from '@toolwright/core/extension'
import { serverOptions as coreOptions, type OptionsOf } from '@toolwright/core/options'
import { sessionOptions, sessionsPart } from '@toolwright/sessions'
import { taskOptions, tasksPart } from '@toolwright/tasks'
import { appsExtension } from './apps/apps-extension.js'
import { createListFormatsExtension, listFormatOptions } from './list-formats/list-formats-extension.js'
import { createSkillsExtension, skillOptions } from './skills/skills-extension.js'

const apps: ServerPart = { options: {}, create: () => appsExtension }

const skills: ServerPart<typeof skillOptions> = {
  options: skillOptions,
  addingFeatures: ['skills'],
  create: createSkillsExtension,
}

const listFormats: ServerPart<typeof listFormatOptions> = {
  options: listFormatOptions,
  create: (options) => createListFormatsExtension(options.listFormats),
}

export const serverParts: readonly ServerPart[] = [sessionsPart, tasksPart, apps, skills, listFormats]

const packageOptions = { ...sessionOptions, ...taskOptions }

export const partOptions = {
  ...skillOptions,
  ...listFormatOptions,
}

export const serverOptions: typeof coreOptions & typeof partOptions & typeof packageOptions = {
  ...coreOptions,
  ...packageOptions,
  ...partOptions,
}

/**
 * Options of a server. The required options are `name`, `version` and at least one of `scan`, `controllers`, `skills`,
 * `sources` and `onReady`.
 */
export interface ServerOptions extends CoreOptions, OptionsOf<typeof partOptions & typeof packageOptions> {}
