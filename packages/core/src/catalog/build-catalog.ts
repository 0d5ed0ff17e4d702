import { describeOtherCopy } from '../copies/copies.js'
import { describeValue } from '../errors/describe-value.js'
import type { Diagnostics } from '../errors/diagnostics.js'
import { diagnosticsOf, featuresOf, isAbstract, otherCopyThatDecorated, reportRecorded } from '../metadata/store.js'
import type { Class, FeatureMetadata } from '../metadata/types.js'
import { AuthorizationResolver, type AuthorizationResolverOptions } from './authorization/authorization-resolver.js'
import { Catalog } from './catalog.js'
import { checkAppPage } from './define/app-pages.js'
import { checkControllerOptions, withCheckedOptions } from './define/check-option-names.js'
import { checkCompletionTarget, defineCompletion, isCompletionTarget } from './define/define-completion.js'
import {
  type DecoratedMethod,
  defineMethod,
  emittedModels,
  reportTypeImport,
  transportsOf,
} from './define/define-method.js'
import { definePrompt } from './define/define-prompt.js'
import { defineResource, defineResourceTemplate } from './define/define-resource.js'
import { defineTool } from './define/define-tool.js'
import { sharedOptionsOf } from './define/define-visibility.js'
import type { Runnable, SharedOptions } from './definitions.js'
import { describeDuplicate } from './describe-duplicate.js'
import { addTo, type FeatureRegistry } from './feature-registry.js'
import type { ClassFiles } from './scan/scan-modules.js'
import { isUriTemplate } from './uri-template.js'

export interface BuiltCatalog {
  readonly catalog: Catalog
  readonly features: readonly Runnable[]
}

export function buildCatalog(
  controllers: readonly unknown[],
  diagnostics: Diagnostics,
  rules: AuthorizationResolverOptions,
  files: ClassFiles = new Map(),
): BuiltCatalog {
  const builder = new CatalogBuilder(diagnostics, new AuthorizationResolver(rules), files)
  for (const controller of new Set(controllers)) {
    const features = readFeatures(controller, diagnostics)
    for (const feature of features) builder.define(controller as Class, feature)
    if (features.length > 0) builder.rules.checkMembers(controller as Class, diagnostics)
  }
  const { catalog } = builder
  for (const completion of catalog.completions.all) checkCompletionTarget(completion, catalog, diagnostics)
  for (const tool of catalog.tools.all) checkAppPage(tool, catalog, diagnostics)
  return builder
}

function readFeatures(controller: unknown, diagnostics: Diagnostics): readonly FeatureMetadata[] {
  if (typeof controller !== 'function') {
    const cause = controller === undefined ? ', perhaps because two files import each other' : ''
    diagnostics.add('bad-controller', `controllers: ${describeValue(controller)} is not a class${cause}. List classes.`)
    return []
  }
  const other = otherCopyThatDecorated(controller as Class)
  if (other !== undefined) {
    // Injection would fail: it finds instances by class, and each copy has a separate `McpContext` class.
    const message = `controllers: ${describeValue(controller)} was decorated by ${describeOtherCopy(other)}`
    diagnostics.add('two-copies', message)
    return []
  }
  if (isAbstract(controller as Class)) {
    const message =
      `controllers: ${describeValue(controller)} is abstract, so it is not served. ` +
      'List its subclasses instead, or remove `abstract: true`.'
    diagnostics.add('bad-controller', message)
    return []
  }
  reportRecorded(controller as Class, diagnostics)
  const features = featuresOf(controller as Class)
  // For a class with invalid decorators, more specific diagnostics were already recorded.
  if (features.length === 0 && diagnosticsOf(controller as Class).length === 0) {
    const message = `controllers: ${describeValue(controller)} has no decorated method. Decorate a method, or remove the class from the list.`
    diagnostics.add('no-features', message)
  }
  checkControllerOptions(controller as Class, diagnostics)
  return features.map((feature) => withCheckedOptions(controller as Class, feature, diagnostics))
}

type Kind<Name> = FeatureMetadata & { readonly kind: Name }

class CatalogBuilder implements BuiltCatalog {
  readonly catalog: Catalog
  readonly features: Runnable[] = []

  constructor(
    private readonly diagnostics: Diagnostics,
    readonly rules: AuthorizationResolver,
    private readonly files: ClassFiles,
  ) {
    this.catalog = new Catalog(rules)
  }

  define(controller: Class, feature: FeatureMetadata): void {
    if (feature.kind === 'tool') this.#defineTool(controller, feature)
    else if (feature.kind === 'prompt') this.#definePrompt(controller, feature)
    else if (feature.kind === 'resource') this.#defineResource(controller, feature)
    else this.#defineCompletion(controller, feature)
  }

  #defineTool(controller: Class, feature: Kind<'tool'>): void {
    const options = { ...shared(controller), ...emittedModels(controller, feature), ...feature.options }
    const takesArguments = 'input' in options || 'inputSchema' in options
    const method = this.#defineMethod(controller, feature, takesArguments)
    if (method === null) return
    reportTypeImport(method, options, this.diagnostics)
    const tool = defineTool({ ...method, options }, this.diagnostics)
    this.rules.checkTool(tool, this.diagnostics)
    this.#put(this.catalog.tools, 'Tool', tool)
  }

  #definePrompt(controller: Class, feature: Kind<'prompt'>): void {
    const options = { ...withInput(controller, feature), ...feature.options }
    const method = this.#defineMethod(controller, feature, 'input' in options)
    if (method !== null)
      this.#put(this.catalog.prompts, 'Prompt', definePrompt({ ...method, options }, this.diagnostics))
  }

  #defineResource(controller: Class, feature: Kind<'resource'>): void {
    const uri: unknown = feature.uri
    const options = { ...withInput(controller, feature), ...feature.options }
    const method = this.#defineMethod(controller, feature, isUriTemplate(String(uri)))
    if (method === null) return
    if (typeof uri !== 'string') {
      const message = `${method.origin}: its URI is ${describeValue(uri)}. Give the URI as a string: @McpResource('notes://all').`
      this.diagnostics.add('bad-uri', message)
      return
    }
    const named = { ...method, uri, options }
    if (isUriTemplate(uri)) {
      const template = defineResourceTemplate(named, this.diagnostics)
      if (template !== null) this.#put(this.catalog.resourceTemplates, 'Resource template', template)
    } else this.#put(this.catalog.resources, 'Resource', defineResource(named, this.diagnostics))
  }

  #defineCompletion(controller: Class, feature: Kind<'completion'>): void {
    const method = this.#defineMethod(controller, feature, true)
    if (method === null) return
    const { target } = feature
    if (isCompletionTarget(target))
      this.#put(
        this.catalog.completions,
        'Completion',
        defineCompletion(target, { ...method, transports: transportsOf(controller) }),
      )
    else {
      const message =
        `${method.origin}: the target of @McpCompletion is ${describeValue(target)}. Name an argument of a ` +
        "prompt or a resource: @McpCompletion({ prompt: 'greet', argument: 'name' })."
      this.diagnostics.add('unknown-completion-target', message)
    }
  }

  #defineMethod(
    controller: Class,
    feature: FeatureMetadata,
    takesArguments: boolean,
  ): (DecoratedMethod & Pick<Runnable, 'rule'> & { readonly shared: SharedOptions }) | null {
    const method = defineMethod(controller, feature, takesArguments, this.diagnostics)
    if (method === null) return null
    const rule = this.rules.ofMethod(controller, feature, method.origin, this.diagnostics)
    return { ...method, rule, shared: sharedOptionsOf(controller) }
  }

  #put<Definition extends Runnable>(registry: FeatureRegistry<Definition>, kind: string, definition: Definition): void {
    this.features.push(definition)
    const key = registry.keyOf(definition)
    const other = registry.get(key)
    if (other === undefined) addTo(registry, definition)
    else {
      this.diagnostics.add('duplicate-name', describeDuplicate(`${kind} '${key}'`, other, definition, this.files))
    }
  }
}

function shared(controller: Class) {
  const transports = transportsOf(controller)
  return transports === null ? {} : { transports }
}

function withInput(controller: Class, feature: FeatureMetadata) {
  const { input } = emittedModels(controller, feature)
  return { ...shared(controller), ...(input === undefined ? {} : { input }) }
}
