import { adviceOn, isObject, type NamesOf } from '../../check-options.js'
import { describeValue } from '../../errors/describe-value.js'
import { Diagnostics } from '../../errors/diagnostics.js'
import { controllerOptionsOf } from '../../metadata/store.js'
import {
  type Class,
  type ControllerOptions,
  decoratorOf,
  type FeatureMetadata,
  type PromptOptions,
  type ResourceOptions,
  type ToolOptions,
} from '../../metadata/types.js'
import type { AddedAccess } from '../authorization/authorization-resolver.js'

const shared = { name: true, title: true, description: true, icons: true, _meta: true, input: true } as const

const prompt: NamesOf<PromptOptions> = shared
const resource: NamesOf<ResourceOptions> = { ...shared, mimeType: true, annotations: true, size: true, ui: true }
const tool: NamesOf<ToolOptions> = {
  ...shared,
  annotations: true,
  output: true,
  inputSchema: true,
  outputSchema: true,
  timeoutMs: true,
  maxResultBytes: true,
  task: true,
  taskStart: true,
  maxConcurrent: true,
  rateLimit: true,
  rawText: true,
  untrusted: true,
  ui: true,
}
const controller: NamesOf<ControllerOptions> = { prefix: true, abstract: true }
const completion = { prompt: true, resource: true, argument: true }

const known = { tool, prompt, resource, completion }

const authorize = 'Who may use it is said beside it: @Authorize({ … }).'

/** What those who know another framework look for in a decorator, and a decorator of its own has. */
const otherDecorators: Readonly<Record<string, string>> = {
  authorize,
  roles: authorize,
  scopes: authorize,
  requiredScopes: authorize,
  policy: authorize,
  allowAnonymous: 'Say so beside it: @AllowAnonymous().',
  hooks: 'Give them beside it: @UseHooks(…).',
}

/** What features that are added at run time have besides. */
const added: NamesOf<AddedAccess & { hooks: unknown; handler: unknown }> = {
  handler: true,
  hooks: true,
  authorize: true,
  allowAnonymous: true,
}

const addedKnown = {
  tool: { ...tool, ...added },
  prompt: { ...prompt, ...added },
  resource: { uri: true, ...resource, ...added },
  completion: { ...completion, ...added },
}

/** What can be added at run time. */
export type AddedKind = keyof typeof methodOf

const methodOf = { tool: 'addTool', prompt: 'addPrompt', resource: 'addResource', completion: 'addCompletion' } as const

/** An option that nobody reads is misspelt, and a runner that does not check types says nothing about it. */
export function checkFeatureOptions(origin: string, feature: FeatureMetadata, diagnostics: Diagnostics): void {
  const options = feature.kind === 'completion' ? feature.target : feature.options
  // A target that is none is reported when the completion is defined.
  if (isObject(options)) check(origin, decoratorOf[feature.kind], options, known[feature.kind], diagnostics)
}

/**
 * What is added comes in one object, its name included: other frameworks take the name first.
 *
 * @throws BootError
 */
export function requireOneObject(kind: AddedKind, given: unknown): void {
  if (isObject(given)) return
  const method = methodOf[kind]
  const diagnostics = new Diagnostics()
  const fix = `Give one object with all there is: ${method}({ … }).`
  diagnostics.add('bad-option', `${method} was given ${describeValue(given)}. ${fix}`)
  diagnostics.throwIfAny(`A ${kind} cannot be added`)
}

/** The same for what is added at run time: a misspelt `authorize` would let everybody in. */
export function checkAddedOptions(origin: string, kind: AddedKind, options: object, diagnostics: Diagnostics): void {
  check(origin, methodOf[kind], options, addedKnown[kind], diagnostics, {})
}

export function checkControllerOptions(decorated: Class, diagnostics: Diagnostics): void {
  const options: unknown = controllerOptionsOf(decorated) ?? {}
  if (!isObject(options)) {
    diagnostics.add('bad-option', `${decorated.name}: @McpController has ${describeOptions(options)}`)
    return
  }
  check(decorated.name, '@McpController', options, controller, diagnostics)
  const { prefix = '', abstract = false } = options as ControllerOptions
  if (typeof prefix !== 'string') {
    diagnostics.addBadOption(`${decorated.name}: prefix`, prefix, "Give a string, such as 'calc_'.")
  }
  if (typeof abstract !== 'boolean') {
    diagnostics.addBadOption(`${decorated.name}: abstract`, abstract, 'Give true or false.')
  }
}

/** The feature with options that are an object, whatever its decorator was given. */
export function withCheckedOptions<Feature extends FeatureMetadata>(
  controllerOf: Class,
  feature: Feature,
  diagnostics: Diagnostics,
): Feature {
  if (feature.kind === 'completion' || isObject(feature.options)) return feature
  const origin = `${controllerOf.name}.${String(feature.method)}`
  diagnostics.add('bad-option', `${origin}: ${decoratorOf[feature.kind]} has ${describeOptions(feature.options)}`)
  return { ...feature, options: {} }
}

function describeOptions(options: unknown): string {
  return `${describeValue(options)} for its options. Give an object: { … }.`
}

function check(
  origin: string,
  decorator: string,
  options: object,
  names: object,
  diagnostics: Diagnostics,
  elsewhere: Readonly<Record<string, string>> = otherDecorators,
): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(names, name)) continue
    const advice = Object.hasOwn(elsewhere, name) ? elsewhere[name] : adviceOn(name, Object.keys(names))
    diagnostics.add('bad-option', `${origin}: ${decorator} has no option '${name}'. ${advice}`)
  }
}
