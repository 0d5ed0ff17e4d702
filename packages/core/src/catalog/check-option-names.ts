import type { Problems } from '../errors/problems.js'
import { controllerOptionsOf } from '../metadata/store.js'
import {
  type Class,
  type ControllerOptions,
  decoratorOf,
  type FeatureMetadata,
  type PromptOptions,
  type ResourceOptions,
  type ToolOptions,
} from '../metadata/types.js'

type Names<Options> = Readonly<Record<keyof Options, true>>

const prompt: Names<PromptOptions> = {
  name: true,
  title: true,
  description: true,
  icons: true,
  _meta: true,
  input: true,
}

const resource: Names<ResourceOptions> = {
  name: true,
  title: true,
  description: true,
  mimeType: true,
  icons: true,
  annotations: true,
  size: true,
  _meta: true,
  ui: true,
  input: true,
}

const tool: Names<ToolOptions> = {
  name: true,
  title: true,
  description: true,
  icons: true,
  annotations: true,
  _meta: true,
  input: true,
  output: true,
  inputSchema: true,
  outputSchema: true,
  timeoutMs: true,
  task: true,
  taskStart: true,
  maxConcurrent: true,
  rateLimit: true,
  rawText: true,
  untrusted: true,
  ui: true,
}

const controller: Names<ControllerOptions> = { prefix: true }

/** An option that nobody reads is misspelt, and a runner that does not check types says nothing about it. */
export function checkFeatureOptions(origin: string, feature: FeatureMetadata, problems: Problems): void {
  if (feature.kind === 'completion') return
  check(origin, decoratorOf[feature.kind], feature.options, { tool, prompt, resource }[feature.kind], problems)
}

export function checkControllerOptions(decorated: Class, problems: Problems): void {
  check(decorated.name, '@McpController', controllerOptionsOf(decorated) ?? {}, controller, problems)
}

function check(origin: string, decorator: string, options: object, known: object, problems: Problems): void {
  const strangers = Object.entries(options).filter(
    ([name, value]) => value !== undefined && !Object.hasOwn(known, name),
  )
  if (strangers.length === 0) return
  const found = strangers.map(([name]) => `'${name}'`).join(', ')
  const names = Object.keys(known).toSorted().join(', ')
  problems.add('bad-option', `${origin}: ${decorator} has no option ${found}. There are ${names}.`)
}
