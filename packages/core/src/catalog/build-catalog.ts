import { describeValue } from '../errors/describe-value.js'
import type { Problems } from '../errors/problems.js'
import { featuresOf } from '../metadata/store.js'
import type { Class, FeatureMetadata } from '../metadata/types.js'
import { Catalog } from './catalog.js'
import { checkCompletionTargets, defineCompletion } from './define-completion.js'
import { defineMethod, emittedModels } from './define-method.js'
import { definePrompt } from './define-prompt.js'
import { defineResource, defineResourceTemplate } from './define-resource.js'
import { defineTool } from './define-tool.js'
import type { Runnable } from './definitions.js'
import type { Shelf } from './shelf.js'
import { isUriTemplate } from './uri-template.js'

/** Defines the features of all controllers. What is wrong goes to `problems`, so that the caller can report it all. */
export function buildCatalog(controllers: readonly unknown[], problems: Problems): Catalog {
  const catalog = new Catalog()
  for (const controller of new Set(controllers)) {
    for (const feature of readFeatures(controller, problems)) {
      defineFeature(catalog, controller as Class, feature, problems)
    }
  }
  checkCompletionTargets(catalog, problems)
  return catalog
}

function readFeatures(controller: unknown, problems: Problems): readonly FeatureMetadata[] {
  if (typeof controller !== 'function') {
    const cause = controller === undefined ? ', as in a file that imports the file which imports it' : ''
    problems.add('bad-controller', `controllers: ${describeValue(controller)} is no class${cause}. List classes.`)
    return []
  }
  const features = featuresOf(controller as Class)
  if (features.length === 0) {
    const message = `controllers: ${describeValue(controller)} has no decorated method. Add one, or take it out of the list.`
    problems.add('no-features', message)
  }
  return features
}

function defineFeature(catalog: Catalog, controller: Class, feature: FeatureMetadata, problems: Problems): void {
  if (feature.kind === 'tool') return defineToolMethod(catalog, controller, feature, problems)
  if (feature.kind === 'prompt') return definePromptMethod(catalog, controller, feature, problems)
  if (feature.kind === 'resource') return defineResourceMethod(catalog, controller, feature, problems)
  const method = defineMethod(controller, feature, true, problems)
  if (method !== null) put(catalog.completions, 'Completion', defineCompletion(feature.target, method), problems)
}

type Kind<Name> = FeatureMetadata & { readonly kind: Name }

function defineToolMethod(catalog: Catalog, controller: Class, feature: Kind<'tool'>, problems: Problems): void {
  const options = { ...emittedModels(controller, feature), ...feature.options }
  const takesArguments = 'input' in options || 'inputSchema' in options
  const method = defineMethod(controller, feature, takesArguments, problems)
  if (method !== null) put(catalog.tools, 'Tool', defineTool({ ...method, options }, problems), problems)
}

function definePromptMethod(catalog: Catalog, controller: Class, feature: Kind<'prompt'>, problems: Problems): void {
  const options = { ...withInput(controller, feature), ...feature.options }
  const method = defineMethod(controller, feature, 'input' in options, problems)
  if (method !== null) put(catalog.prompts, 'Prompt', definePrompt({ ...method, options }, problems), problems)
}

function defineResourceMethod(
  catalog: Catalog,
  controller: Class,
  feature: Kind<'resource'>,
  problems: Problems,
): void {
  const { uri } = feature
  const options = { ...withInput(controller, feature), ...feature.options }
  const method = defineMethod(controller, feature, isUriTemplate(uri), problems)
  if (method === null) return
  const named = { ...method, uri, options }
  if (!isUriTemplate(uri)) return put(catalog.resources, 'Resource', defineResource(named, problems), problems)
  const template = defineResourceTemplate(named, problems)
  if (template !== null) put(catalog.resourceTemplates, 'Resource template', template, problems)
}

/** Prompts and resources have no output schema. */
function withInput(controller: Class, feature: FeatureMetadata) {
  const { input } = emittedModels(controller, feature)
  return input === undefined ? {} : { input }
}

function put<Definition extends Runnable>(
  shelf: Shelf<Definition>,
  kind: string,
  definition: Definition,
  problems: Problems,
): void {
  const key = shelf.keyOf(definition)
  const other = shelf.get(key)
  if (other === undefined) shelf.add(definition)
  else {
    const message = `${kind} '${key}' is declared by both ${other.origin} and ${definition.origin}. Rename one.`
    problems.add('duplicate-name', message)
  }
}
