import { type Copy, describeCopies, thisCopy } from '../copies/copies.js'
import { describeValue } from '../errors/describe-value.js'
import type { Problems } from '../errors/problems.js'
import { featuresOf, isAbstract, otherCopyThatDecorated, problemsOf, reportRecorded } from '../metadata/store.js'
import type { Class, FeatureMetadata } from '../metadata/types.js'
import { Catalog } from './catalog.js'
import { checkAppPages } from './define/app-pages.js'
import { checkControllerOptions, withCheckedOptions } from './define/check-option-names.js'
import { checkCompletionTargets, defineCompletion, isCompletionTarget } from './define/define-completion.js'
import { type DecoratedMethod, defineMethod, emittedModels, reportTypeImport } from './define/define-method.js'
import { definePrompt } from './define/define-prompt.js'
import { defineResource, defineResourceTemplate } from './define/define-resource.js'
import { defineTool } from './define/define-tool.js'
import type { Runnable } from './definitions.js'
import { describeDuplicate } from './describe-duplicate.js'
import { RuleBook, type RuleBookOptions } from './rules/rule-book.js'
import type { ClassFiles } from './scan/scan-modules.js'
import { addTo, type Shelf } from './shelf.js'
import { isUriTemplate } from './uri-template.js'

/** What boot goes on with. */
export interface BuiltCatalog {
  readonly catalog: Catalog
  /** Every feature that was defined, those with a name that is taken included: all of them are checked. */
  readonly features: readonly Runnable[]
}

/** Defines the features of all controllers. What is wrong goes to `problems`, so that the caller can report it all. */
export function buildCatalog(
  controllers: readonly unknown[],
  problems: Problems,
  rules: RuleBookOptions,
  files: ClassFiles = new Map(),
): BuiltCatalog {
  const builder = new CatalogBuilder(problems, new RuleBook(rules), files)
  for (const controller of new Set(controllers)) {
    const features = readFeatures(controller, problems)
    for (const feature of features) builder.define(controller as Class, feature)
    if (features.length > 0) builder.rules.checkMembers(controller as Class, features, problems)
  }
  checkCompletionTargets(builder.catalog, problems)
  checkAppPages(builder.catalog, problems)
  return builder
}

function readFeatures(controller: unknown, problems: Problems): readonly FeatureMetadata[] {
  if (typeof controller !== 'function') {
    const cause = controller === undefined ? ', perhaps because two files import each other' : ''
    problems.add('bad-controller', `controllers: ${describeValue(controller)} is not a class${cause}. List classes.`)
    return []
  }
  const other = otherCopyThatDecorated(controller as Class)
  if (other !== undefined) {
    problems.add('two-copies', describeOtherCopy(controller, other))
    return []
  }
  if (isAbstract(controller as Class)) {
    const message =
      `controllers: ${describeValue(controller)} is abstract, so it is not served. ` +
      'List its subclasses instead, or take `abstract: true` off it.'
    problems.add('bad-controller', message)
    return []
  }
  reportRecorded(controller as Class, problems)
  const features = featuresOf(controller as Class)
  // One whose decorators are wrong would have some.
  if (features.length === 0 && problemsOf(controller as Class).length === 0) {
    const message = `controllers: ${describeValue(controller)} has no decorated method. Add one, or take it out of the list.`
    problems.add('no-features', message)
  }
  checkControllerOptions(controller as Class, problems)
  return features.map((feature) => withCheckedOptions(controller as Class, feature, problems))
}

/** The context and what is injected are classes, and those of one copy are unknown to the other: calls would fail. */
function describeOtherCopy(controller: unknown, other: Copy): string {
  return (
    `controllers: ${describeValue(controller)} was decorated by another copy of @toolwright/core than the one that serves it. ` +
    describeCopies(other.file, thisCopy.file, '@toolwright/core')
  )
}

type Kind<Name> = FeatureMetadata & { readonly kind: Name }

class CatalogBuilder implements BuiltCatalog {
  readonly catalog: Catalog
  readonly features: Runnable[] = []

  constructor(
    private readonly problems: Problems,
    readonly rules: RuleBook,
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
    const options = { ...emittedModels(controller, feature), ...feature.options }
    const takesArguments = 'input' in options || 'inputSchema' in options
    const method = this.#defineMethod(controller, feature, takesArguments)
    if (method === null) return
    reportTypeImport(method, options, this.problems)
    const tool = defineTool({ ...method, options }, this.problems)
    this.rules.checkTool(tool, this.problems)
    this.#put(this.catalog.tools, 'Tool', tool)
  }

  #definePrompt(controller: Class, feature: Kind<'prompt'>): void {
    const options = { ...withInput(controller, feature), ...feature.options }
    const method = this.#defineMethod(controller, feature, 'input' in options)
    if (method !== null) this.#put(this.catalog.prompts, 'Prompt', definePrompt({ ...method, options }, this.problems))
  }

  #defineResource(controller: Class, feature: Kind<'resource'>): void {
    const uri: unknown = feature.uri
    const options = { ...withInput(controller, feature), ...feature.options }
    const method = this.#defineMethod(controller, feature, isUriTemplate(String(uri)))
    if (method === null) return
    if (typeof uri !== 'string') {
      const message = `${method.origin}: its URI is ${describeValue(uri)}. Give it one: @McpResource('notes://all').`
      this.problems.add('bad-uri', message)
      return
    }
    const named = { ...method, uri, options }
    if (isUriTemplate(uri)) {
      const template = defineResourceTemplate(named, this.problems)
      if (template !== null) this.#put(this.catalog.resourceTemplates, 'Resource template', template)
    } else this.#put(this.catalog.resources, 'Resource', defineResource(named, this.problems))
  }

  #defineCompletion(controller: Class, feature: Kind<'completion'>): void {
    const method = this.#defineMethod(controller, feature, true)
    if (method === null) return
    const { target } = feature
    if (isCompletionTarget(target)) this.#put(this.catalog.completions, 'Completion', defineCompletion(target, method))
    else {
      const message =
        `${method.origin}: @McpCompletion has ${describeValue(target)} for what it completes. Name an argument of a ` +
        "prompt or a resource: @McpCompletion({ prompt: 'greet', argument: 'name' })."
      this.problems.add('unknown-completion-target', message)
    }
  }

  #defineMethod(
    controller: Class,
    feature: FeatureMetadata,
    takesArguments: boolean,
  ): (DecoratedMethod & Pick<Runnable, 'rule'>) | null {
    const method = defineMethod(controller, feature, takesArguments, this.problems)
    if (method === null) return null
    return { ...method, rule: this.rules.ofMethod(controller, feature, method.origin, this.problems) }
  }

  #put<Definition extends Runnable>(shelf: Shelf<Definition>, kind: string, definition: Definition): void {
    this.features.push(definition)
    const key = shelf.keyOf(definition)
    const other = shelf.get(key)
    if (other === undefined) addTo(shelf, definition)
    else {
      this.problems.add('duplicate-name', describeDuplicate(`${kind} '${key}'`, other, definition, this.files))
    }
  }
}

/** Prompts and resources have no output schema. */
function withInput(controller: Class, feature: FeatureMetadata) {
  const { input } = emittedModels(controller, feature)
  return input === undefined ? {} : { input }
}
