import { declaresAccess, guardedByDefault, noRules } from '../catalog/authorization/authorization-resolver.js'
import { type BuiltCatalog, buildCatalog } from '../catalog/build-catalog.js'
import { Catalog } from '../catalog/catalog.js'
import { checkDependencies } from '../catalog/injection/check-dependencies.js'
import { checkHooks } from '../catalog/injection/check-hooks.js'
import { type ImportModule, modulesBeingEvaluated } from '../catalog/scan/module-loader.js'
import { scanModules } from '../catalog/scan/scan-modules.js'
import { AppContainer } from '../container/app-container.js'
import type { InjectionToken } from '../container/tsyringe.js'
import { Changes } from '../context/changes.js'
import { BootError } from '../errors/boot-error.js'
import { Diagnostics, reportThrown } from '../errors/diagnostics.js'
import { logFailure } from '../errors/log-failure.js'
import { RejectionObservers } from '../hooks/rejection-observers.js'
import type { Bindings } from '../plan/bind-handler.js'
import { HookBinder } from '../plan/bind-hooks.js'
import { compilePlans } from '../plan/plans.js'
import { checkListedMeta } from '../protocol/extensions/listed-meta.js'
import { keepTicksFast } from '../util/keep-fast.js'
import { type AssembledParts, assembleParts, type ServerParts } from './assemble-parts.js'
import { checkTasks } from './check-tasks.js'
import type { McpServer } from './mcp-server.js'
import { McpServerInstance } from './mcp-server-instance.js'
import { notifyCatalogChanges } from './notify-catalog-changes.js'
import type { ServerOptions } from './options.js'
import { type HostDefaults, namesNothingToServe, type ResolvedOptions, resolveOptions } from './resolve-options.js'
import { prepareStores } from './resolve-stores.js'
import { Sources } from './sources/sources.js'

export interface Host extends HostDefaults {
  check(diagnostics: Diagnostics): void
  /** The result of {@link modulesBeingEvaluated}. Required if the host awaits anything before boot. */
  readonly beingEvaluated?: ReadonlySet<string>
  /** Imports the modules of the option `scan`. Default: Node's `import()`. */
  readonly importModule?: ImportModule
}

type ScanningHost = Host & Required<Pick<Host, 'beingEvaluated'>>

const noHost: Host = { optionNames: [], check: () => undefined }

/**
 * Boots a server: loads and checks all decorated classes, creates the controllers, and compiles a plan for each feature.
 * The server serves nothing until all checks have passed.
 *
 * @throws BootError that lists all problems, or the error of `onReady`.
 */
export function createServer(options: ServerOptions): Promise<McpServer> {
  return createServerIn(options, noHost)
}

export function createServerIn(options: ServerOptions, host: Host): Promise<McpServer> {
  // The call stack is read before the first `await`, because the stack does not contain the callers after an `await`.
  return boot(options, { ...host, beingEvaluated: host.beingEvaluated ?? modulesBeingEvaluated() })
}

async function boot(options: ServerOptions, host: ScanningHost): Promise<McpServer> {
  keepTicksFast()
  const diagnostics = new Diagnostics()
  checkRuntime(diagnostics)
  const resolved = resolveOptions(options, host, diagnostics)
  host.check(diagnostics)
  const sources = new Sources(resolved.sources, resolved.log)
  try {
    return await startServer(options, resolved, { host, sources, diagnostics })
  } catch (error) {
    await sources.close()
    throw error
  }
}

interface BootParts {
  readonly host: ScanningHost
  readonly sources: Sources
  readonly diagnostics: Diagnostics
}

async function startServer(options: ServerOptions, resolved: ResolvedOptions, parts: BootParts): Promise<McpServer> {
  const { host, sources, diagnostics } = parts
  const changes = new Changes(resolved.changeBus, resolved.log)
  const { catalog, features, scan } = await defineFeatures(resolved, changes, parts)
  const own = new Map<InjectionToken, unknown>([
    [Catalog, catalog],
    [Changes, changes],
  ])
  // The container is created after the scan, because scoped classes register themselves while their modules load.
  const container = new AppContainer(resolved.container, own)
  const graph = checkDependencies(features, container, diagnostics)
  checkHooks(resolved.hooks, features, graph, diagnostics)
  diagnostics.throwIfAny()
  await prepareStores(resolved.preparedStores, { name: resolved.identity.name, limits: resolved.limits }, diagnostics)
  diagnostics.throwIfAny()
  const planned = planFeatures(resolved, catalog, { container, graph }, diagnostics)
  checkTasks(resolved.extensions, catalog, diagnostics)
  checkListedMeta(resolved.extensions, catalog, diagnostics)
  if (diagnostics.count > 0) await container.close()
  diagnostics.throwIfAny()
  const assembled = assembleParts({ options: resolved, catalog, changes, container, scan, sources, ...planned })
  const server = new McpServerInstance(assembled)
  await makeReady(server, options, { host, sources, enabledSharing: assembled.enabledSharing })
  const defaultPageSize = options.pageSize === undefined ? resolved.pageSize : null
  resolved.reports.warn(server, { modules: scan.modules, defaultPageSize })
  return server
}

async function defineFeatures(
  resolved: ResolvedOptions,
  changes: Changes,
  { host: { beingEvaluated, importModule }, sources, diagnostics }: BootParts,
): Promise<BuiltCatalog & Pick<ServerParts, 'scan'>> {
  const { scan: folders, controllers, extensions, cache, limits, log } = resolved
  const scan = await scanModules({ folders, beingEvaluated, listed: controllers, importModule }, diagnostics)
  const classes = [...controllers, ...scan.controllers]
  const rules = resolved.authorization ?? (declaresAccess(classes) ? guardedByDefault : noRules)
  const { catalog, features } = buildCatalog(classes, diagnostics, rules, scan.files)
  for (const { id, prepare } of extensions) {
    // Prepares one extension at a time, because all extensions change the same catalog.
    // oxlint-disable-next-line no-await-in-loop
    await reportThrown(`Extension '${id}' cannot be used`, diagnostics, () => prepare?.({ catalog, limits, log }))
  }
  await sources.prepare({ catalog, limits, log }, { changes, diagnostics, beingEvaluated, importModule })
  if (cache.cacheScope === 'public' && catalog.dependsOnCaller)
    diagnostics.add('shared-private-lists', sharedPrivateLists)
  return { catalog, features, scan }
}

const sharedPrivateLists =
  "cache.cacheScope is 'public', but callers see different lists here: a shared cache would send the list of one caller " +
  'to another. Leave out cache.cacheScope, or put @AllowAnonymous() on all features and remove `enabled` functions.'

function planFeatures(
  { rateLimiter, log, limits, hooks: serverHooks, hidesForbidden }: ResolvedOptions,
  catalog: Catalog,
  { container, graph }: Pick<Bindings, 'container' | 'graph'>,
  diagnostics: Diagnostics,
): Pick<ServerParts, 'plans' | 'rejections' | 'limitedRequests' | 'oversizedResults'> {
  const { callTimeoutMs, hookTimeoutMs: timeoutMs, maxInFlight, maxResultBytes } = limits
  const rejections = new RejectionObservers(maxInFlight, log)
  const hooks = new HookBinder({ container, graph, hooks: serverHooks, timeoutMs, rejections, diagnostics })
  const counters = { limitedRequests: { count: 0 }, oversizedResults: { count: 0 } }
  const bindings = { container, graph, hooks, rateLimiter, maxResultBytes, ...counters, hidesForbidden, log }
  return { plans: compilePlans(catalog, bindings, callTimeoutMs, diagnostics), rejections, ...counters }
}

async function makeReady(
  server: McpServer,
  options: ServerOptions,
  { host, sources, enabledSharing }: Pick<BootParts, 'host' | 'sources'> & Pick<AssembledParts, 'enabledSharing'>,
): Promise<void> {
  try {
    await options.onReady?.(server)
    if (namesNothingToServe(options, host)) requireFeatures(server.catalog)
    // Called after `onReady`: otherwise, on a shared bus, the changes of `onReady` would notify the clients of other nodes at
    // each boot.
    notifyCatalogChanges(server.catalog, server.changes, enabledSharing)
    enabledSharing.start()
    await sources.ready(server)
  } catch (error) {
    await server.close().catch((reason: unknown) => logFailure(server.log, reason, {}, 'closing after onReady failed'))
    throw error
  }
}

function requireFeatures({ registries }: Catalog): void {
  if (registries.some(({ registry }) => registry.all.length > 0)) return
  const message =
    'Nothing to serve: onReady added nothing. Give `controllers: [MyTools]`, or `controllers: []` when features come later.'
  throw new BootError([{ code: 'bad-option', message }])
}

/**
 * Rejects the environments of test runners that imitate a browser, such as jsdom. Every call would fail in such an environment.
 */
function checkRuntime(diagnostics: Diagnostics): void {
  if (typeof setImmediate === 'function') return
  diagnostics.add(
    'not-node',
    "The global setImmediate is missing, so this is not plain Node. Configure your test runner with `testEnvironment: 'node'`.",
  )
}
