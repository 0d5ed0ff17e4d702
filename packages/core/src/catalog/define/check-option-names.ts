import { describeValue } from '../../errors/describe-value.js'
import { Diagnostics } from '../../errors/diagnostics.js'
import type { FeatureKind } from '../../hooks/feature-call.js'
import {
  completionOptions,
  controllerOptions,
  promptOptions,
  resourceOptions,
  toolOptions,
} from '../../metadata/feature-options.js'
import { controllerOptionsOf } from '../../metadata/store.js'
import { type Class, decoratorOf, type FeatureMetadata } from '../../metadata/types.js'
import { checkNames } from '../../options/check-names.js'
import { isObject } from '../../options/kinds.js'
import { readOptions } from '../../options/option.js'
import type { AddedTool } from '../added-features.js'

const known = {
  tool: Object.keys(toolOptions),
  prompt: Object.keys(promptOptions),
  resource: Object.keys(resourceOptions),
  completion: Object.keys(completionOptions),
}

const authorize = 'Use the separate decorator @Authorize({ … }).'

/**
 * Advice on options that other frameworks accept in a feature's decorator. In this framework, each such option is a
 * separate decorator.
 */
const otherDecorators: Readonly<Record<string, string>> = {
  authorize,
  roles: authorize,
  scopes: authorize,
  requiredScopes: authorize,
  policy: authorize,
  allowAnonymous: 'Use the separate decorator @AllowAnonymous().',
  hooks: 'Use the separate decorator @UseHooks(…).',
}

const addedNames = ['handler', 'hooks', 'authorize', 'allowAnonymous', 'origin'] satisfies (keyof AddedTool)[]

const methodOf: Readonly<Record<FeatureKind, string>> = {
  tool: 'addTool',
  prompt: 'addPrompt',
  resource: 'addResource',
  completion: 'addCompletion',
}

/** Reports unknown options, most of which are misspelt. Runners such as tsx do not check types, so they accept such options. */
export function checkFeatureOptions(origin: string, feature: FeatureMetadata, diagnostics: Diagnostics): void {
  const options = feature.kind === 'completion' ? feature.target : feature.options
  // A target that is not an object is reported later, when the completion is defined.
  if (isObject(options)) reportUnknown(origin, decoratorOf[feature.kind], options, known[feature.kind], diagnostics)
}

/**
 * Checks that a feature is added as one object, which includes its name. In other frameworks, the name is the first argument.
 *
 * @throws BootError
 */
export function requireOneObject(kind: FeatureKind, given: unknown): void {
  if (isObject(given)) return
  const method = methodOf[kind]
  const diagnostics = new Diagnostics()
  const fix = `Give one object, which includes the name: ${method}({ … }).`
  diagnostics.add('bad-option', `${method} was given ${describeValue(given)}. ${fix}`)
  diagnostics.throwIfAny(`A ${kind} cannot be added`)
}

/** Reports unknown options of a feature that is added at run time: with a misspelt `authorize`, all callers could use it. */
export function checkAddedOptions(origin: string, kind: FeatureKind, options: object, diagnostics: Diagnostics): void {
  const names = [...known[kind], ...addedNames, ...(kind === 'resource' ? ['uri'] : [])]
  reportUnknown(origin, methodOf[kind], options, names, diagnostics, {})
}

export function checkControllerOptions(decorated: Class, diagnostics: Diagnostics): void {
  const options: unknown = controllerOptionsOf(decorated) ?? {}
  if (!isObject(options)) {
    diagnostics.add('bad-option', `${decorated.name}: @McpController has ${describeOptions(options)}`)
    return
  }
  reportUnknown(decorated.name, '@McpController', options, Object.keys(controllerOptions), diagnostics)
  readOptions(controllerOptions, options, `${decorated.name}: `, diagnostics)
  reportUndefinedLimits(decorated.name, options, diagnostics)
}

const limits = { transports: 'an array', enabled: 'true, false or a function' }

/**
 * Reports the options `transports` and `enabled` if they are set to `undefined`: otherwise, all transports would serve the
 * features, and all callers would see them.
 */
export function reportUndefinedLimits(origin: string, options: object, diagnostics: Diagnostics): void {
  for (const [name, values] of Object.entries(limits)) {
    if (!(name in options) || Reflect.get(options, name) !== undefined) continue
    const fix = `Give ${values}, or leave the option out.`
    diagnostics.add('bad-option', `${origin}: ${name} is undefined when the class is defined. ${fix}`)
  }
}

/** Returns the feature. Reports options that are not an object, and replaces them by an empty object. */
export function withCheckedOptions<Feature extends FeatureMetadata>(
  controller: Class,
  feature: Feature,
  diagnostics: Diagnostics,
): Feature {
  if (feature.kind === 'completion' || isObject(feature.options)) return feature
  const origin = `${controller.name}.${String(feature.method)}`
  diagnostics.add('bad-option', `${origin}: ${decoratorOf[feature.kind]} has ${describeOptions(feature.options)}`)
  return { ...feature, options: {} }
}

function describeOptions(options: unknown): string {
  return `${describeValue(options)} for its options. Give an object: { … }.`
}

function reportUnknown(
  origin: string,
  decorator: string,
  options: object,
  names: readonly string[],
  diagnostics: Diagnostics,
  elsewhere: Readonly<Record<string, string>> = otherDecorators,
): void {
  const describe = (name: string): string => `${origin}: ${decorator} has no option '${name}'.`
  checkNames(options, names, diagnostics, { elsewhere, describe })
}
