import { declaresAccess, guardedByDefault, noRules } from '../../catalog/authorization/authorization-resolver.js'
import { type BuiltCatalog, buildCatalog } from '../../catalog/build-catalog.js'
import { Catalog, rulesOf } from '../../catalog/catalog.js'
import type { MountedParts, Runnable } from '../../catalog/definitions.js'
import { addTo, type FeatureRegistry } from '../../catalog/feature-registry.js'
import { checkDependencies } from '../../catalog/injection/check-dependencies.js'
import { checkHooks } from '../../catalog/injection/check-hooks.js'
import { scanModules } from '../../catalog/scan/scan-modules.js'
import { AppContainer } from '../../container/app-container.js'
import type { InjectionToken } from '../../container/tsyringe.js'
import { Changes } from '../../context/changes.js'
import { Diagnostics } from '../../errors/diagnostics.js'
import { checkNames } from '../../options/check-names.js'
import { isObject, text } from '../../options/kinds.js'
import { type OptionsOf, type ReadOptions, readOptions } from '../../options/option.js'
import { type ServerOptions, serverOptions } from '../options.js'
import { foldersOf } from '../resolve-options.js'
import { type BootInternals, internalsOf } from './boot-internals.js'
import type { FeatureSource, SourceServer } from './feature-source.js'

export const mountOptions = {
  /** Prefix of the names of tools and prompts, such as `shop_`. URIs of resources stay the same. */
  prefix: text({ pattern: /^[A-Za-z0-9_.-]+$/, fix: "Give letters, digits and _ . -, such as 'shop_'." }),
}

export interface MountSettings extends OptionsOf<typeof mountOptions> {
  readonly prefix: string
}

const mountedRows = {
  scan: serverOptions.scan,
  controllers: serverOptions.controllers,
  container: serverOptions.container,
  hooks: serverOptions.hooks,
  authorization: serverOptions.authorization,
  onClose: serverOptions.onClose,
}

const refused: readonly string[] = ['skills', 'sources', 'extensions', 'onReady']

const identity = ['name', 'version', 'title', 'description', 'websiteUrl', 'icons', 'instructions']

/**
 * Serves the features of other options in this process: the classes of `controllers` and `scan`, with the `container`, the `hooks`
 * and the `authorization` of these options. Calls run without a wire, and as fast as calls of other features. The hooks of the
 * server run first.
 *
 * Without `authorization`, the rules of the server apply. The other options belong to the server, and are listed by `explain`.
 *
 * @param options Options of a server, such as the options of a server that also runs alone.
 * @example
 * sources: [mount(shopOptions, { prefix: 'shop_' })]
 * @throws BootError for a mistake in the settings.
 */
export function mount(options: ServerOptions, settings: MountSettings): FeatureSource {
  const { prefix } = readSettings(settings)
  let close = async (): Promise<void> => undefined
  return {
    name: `mount: ${prefix}`,
    prepare: async (server) => {
      close = await mountIn(server, options, prefix)
    },
    close: () => close(),
  }
}

function readSettings(settings: MountSettings): { readonly prefix: string } {
  const diagnostics = new Diagnostics()
  const given = isObject(settings) ? settings : ({} as MountSettings)
  checkNames(given, Object.keys(mountOptions), diagnostics, { prefix: 'mount: ' })
  const { prefix } = readOptions(mountOptions, given, 'mount: ', diagnostics)
  if (given.prefix === undefined) {
    const message =
      "mount: the prefix is missing. Give a prefix for the names of tools and prompts: { prefix: 'shop_' }."
    diagnostics.add('bad-option', message)
  }
  diagnostics.throwIfAny()
  return { prefix: prefix as string }
}

async function mountIn(server: SourceServer, options: ServerOptions, prefix: string): Promise<() => Promise<void>> {
  const { catalog, report } = server
  const internals = internalsOf(server)
  const { changes, diagnostics } = internals
  checkMounted(options, server)
  const read = readOptions(mountedRows, options, `mount: ${prefix}: `, diagnostics)
  const built = await defineMounted(read, catalog, internals)
  const own = new Map<InjectionToken, unknown>([
    [Catalog, catalog],
    [Changes, changes],
  ])
  const container = new AppContainer(read.container, own)
  const graph = checkDependencies(built.features, container, diagnostics)
  checkHooks(read.hooks, built.features, graph, diagnostics)
  const mounted: MountedParts = { container, graph, hooks: read.hooks }
  const mounting: Mounting = { mounted, prefix, server }
  const { tools, prompts, resources, resourceTemplates, completions } = built.catalog
  for (const tool of tools.all) put(catalog.tools, 'tool', { ...tool, name: `${prefix}${tool.name}` }, mounting)
  for (const prompt of prompts.all)
    put(catalog.prompts, 'prompt', { ...prompt, name: `${prefix}${prompt.name}` }, mounting)
  for (const resource of resources.all) put(catalog.resources, 'resource', resource, mounting)
  for (const template of resourceTemplates.all) put(catalog.resourceTemplates, 'resource', template, mounting)
  for (const completion of completions.all) {
    const { target } = completion
    const renamed = 'prompt' in target ? { ...target, prompt: `${prefix}${target.prompt}` } : target
    put(catalog.completions, 'completion', { ...completion, target: renamed }, mounting)
  }
  for (const name of Object.keys(options)) {
    if (name in mountedRows || identity.includes(name) || refused.includes(name)) continue
    report.leftOut(`option ${name}`, 'it belongs to the server that mounts')
  }
  return async () => {
    await container.close()
    await read.onClose?.()
  }
}

function checkMounted(options: ServerOptions, { report }: SourceServer): void {
  if (!isObject(options)) {
    report.problem(
      'the options are not an object. Give the options of a server: mount({ controllers: [ShopTools] }, …).',
    )
    return
  }
  for (const name of refused) {
    if (Reflect.get(options, name) === undefined) continue
    report.problem(
      `the options have ${name}, which mounted options cannot have. Give ${name} to the server that mounts.`,
    )
  }
}

async function defineMounted(
  { scan: folders, controllers, authorization }: ReadOptions<typeof mountedRows>,
  catalog: Catalog,
  { diagnostics, beingEvaluated, importModule }: BootInternals,
): Promise<BuiltCatalog> {
  const scan = await scanModules(
    { folders: foldersOf(folders), beingEvaluated, listed: controllers, importModule },
    diagnostics,
  )
  const classes = [...controllers, ...scan.controllers]
  const { options: ruleOptions } = rulesOf(catalog)
  const inherited = ruleOptions.isInUse || !declaresAccess(classes) ? ruleOptions : guardedByDefault
  const rules = authorization === undefined ? inherited : { ...noRules, ...authorization, isInUse: true }
  return buildCatalog(classes, diagnostics, rules, scan.files)
}

interface Mounting {
  readonly mounted: MountedParts
  readonly prefix: string
  readonly server: SourceServer
}

function put<Definition extends Runnable>(
  registry: FeatureRegistry<Definition>,
  kind: string,
  definition: Definition,
  { mounted, server: { report } }: Mounting,
): void {
  const key = registry.keyOf(definition)
  const other = registry.get(key)
  if (other !== undefined) {
    report.problem(
      `${definition.origin}: ${kind} '${key}' is already served by ${other.origin}. Choose another prefix or name.`,
    )
    return
  }
  addTo(registry, Object.freeze({ ...definition, mounted }))
  report.added(definition.origin, `${kind} '${key}'`)
}
