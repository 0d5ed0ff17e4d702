import { createRequire } from 'node:module'
import { dirname, isAbsolute, join, resolve, sep } from 'node:path'
import {
  createServer,
  createServerModuleRunner,
  type Plugin,
  type RunnableDevEnvironment,
  type ViteDevServer,
} from 'vite'
import { ESModulesEvaluator, type ModuleRunner, type ModuleRunnerContext, ssrImportMetaKey } from 'vite/module-runner'
import { type CompilerOptions, findUp, readCompilerOptions } from '../tsconfig.js'
import { isSource, isTsconfig } from './file-filter.js'
import type { FileChange } from './folder-watcher.js'

/**
 * Compiles and loads the modules of a project with Vite, which takes the options of decorators and the aliases of paths
 * from tsconfig.json. Node loads the packages in node_modules, and keeps them after a reload.
 */
export class ProjectModules {
  private constructor(
    private readonly vite: ViteDevServer,
    private readonly tsconfig: string | null,
    /** Absolute paths of all relative imports, also of files that do not exist. */
    private readonly imports: ReadonlySet<string>,
  ) {}

  /**
   * @param entry Absolute path of the program. Its nearest tsconfig.json applies to all files, as in a build with `tsc`.
   * @param onImport Called with the absolute path of each relative import, before the file is read.
   */
  static async open(root: string, entry: string, onImport: (path: string) => void): Promise<ProjectModules> {
    const tsconfig = findUp(dirname(entry), 'tsconfig.json')
    const imports = new Set<string>()
    const noteImport = (path: string): void => {
      imports.add(path)
      onImport(path)
    }
    const vite = await createServer({
      root,
      // Without a path, Vite compiles a file without the options of decorators, unless `include` matches the file.
      ...(tsconfig === null ? {} : { tsconfig }),
      configFile: false,
      appType: 'custom',
      logLevel: 'silent',
      clearScreen: false,
      cacheDir: join(root, 'node_modules', '.toolwright'),
      plugins: [noteImports(noteImport)],
      resolve: { tsconfigPaths: true },
      // The running Node may lack newer syntax, such as `using`.
      oxc: { target: `node${process.versions.node}` },
      // Node resolves an import of a computed path when it runs. Vite would search for matching files before.
      build: { dynamicImportVarsOptions: { exclude: [/./] } },
      // Browsers are not served, so no port, no socket and no search for packages to bundle is needed.
      server: { middlewareMode: true, hmr: false, ws: false, watch: null, preTransformRequests: false },
      optimizeDeps: { noDiscovery: true, include: [] },
      publicDir: false,
      // Vite must not load these packages, because the process must have only one copy. In a workspace, Vite treats
      // linked packages as sources.
      ssr: { external: toolwrightPackages(root) },
    })
    process.setSourceMapsEnabled(true)
    return new ProjectModules(vite, tsconfig, imports)
  }

  createRunner(): ModuleRunner {
    // Vite need not handle source maps, because Node reads those of all runners.
    return createServerModuleRunner(this.#environment, {
      hmr: false,
      sourcemapInterceptor: false,
      evaluator: new NamingEvaluator(this.tsconfig),
    })
  }

  changed({ file, exists }: FileChange): void {
    const { moduleGraph } = this.#environment
    const path = file.split(sep).join('/')
    // Vite's own watcher is off, but its listeners still reload tsconfig.json, and only if the file has this name.
    if (isTsconfig(file)) this.vite.watcher.emit('change', this.tsconfig ?? file)
    else this.vite.watcher.emit(exists ? 'change' : 'unlink', file)
    // A new or deleted file can change the file that an import resolves to.
    const isKnown = (moduleGraph.getModulesByFile(path)?.size ?? 0) > 0
    if (!exists || (!isKnown && this.canResolve(file))) moduleGraph.invalidateAll()
    else moduleGraph.onFileChange(path)
  }

  forget(): void {
    this.#environment.moduleGraph.invalidateAll()
  }

  canResolve(file: string): boolean {
    return isSource(file) || this.imports.has(file)
  }

  close(): Promise<void> {
    return this.vite.close()
  }

  get #environment(): RunnableDevEnvironment {
    return this.vite.environments.ssr as RunnableDevEnvironment
  }
}

function noteImports(onImport: (path: string) => void): Plugin {
  return {
    name: 'toolwright:imports',
    enforce: 'pre',
    resolveId: (specifier, importer) => {
      if (importer !== undefined && specifier.startsWith('.')) onImport(resolve(dirname(importer), specifier))
    },
    load: (id) => {
      if (isAbsolute(id)) onImport(id)
    },
  }
}

class NamingEvaluator extends ESModulesEvaluator {
  constructor(private readonly tsconfig: string | null) {
    super()
  }

  override async runInlinedModule(context: ModuleRunnerContext, code: string): Promise<unknown> {
    try {
      return await super.runInlinedModule(context, code)
    } catch (error) {
      // Errors of this module itself are created by this constructor. Its code may create others, as `JSON.parse` does.
      if (!(error instanceof SyntaxError) || !/\n\s+at new AsyncFunction \(/.test(error.stack ?? '')) throw error
      const id = context[ssrImportMetaKey].filename
      throw Object.assign(error, { id, message: `${error.message}${adviseOnDecorators(code, this.tsconfig)}` })
    }
  }
}

/** Returns advice if a module still has decorators, which no version of Node runs. */
function adviseOnDecorators(code: string, tsconfig: string | null): string {
  if (!/^\s*(?:export\s+)?@[\w(]/m.test(code) || optionsOf(tsconfig)['experimentalDecorators'] === true) return ''
  const file = tsconfig === null ? 'a tsconfig.json in the folder of the project' : tsconfig
  const options = '"experimentalDecorators": true and "emitDecoratorMetadata": true'
  return `. Decorators need the compiler options ${options}. Set them in ${file}.`
}

function optionsOf(tsconfig: string | null): CompilerOptions {
  try {
    return tsconfig === null ? {} : readCompilerOptions(tsconfig)
  } catch {
    return {}
  }
}

function toolwrightPackages(root: string): string[] {
  const all = ['toolwright', ...installed.map((name) => `@toolwright/${name}`)]
  return [
    ...all,
    'tsyringe',
    'reflect-metadata',
    ...dependenciesOf(root).filter((name) => name.startsWith('@toolwright/')),
  ]
}

const installed = [
  'auth',
  'core',
  'fastify',
  'gateway',
  'login',
  'openapi',
  'opentelemetry',
  'prometheus',
  'proxy',
  'redis',
  'schema',
  'server',
  'sessions',
  'tasks',
  'testing',
]

function dependenciesOf(root: string): readonly string[] {
  try {
    const { dependencies = {} } = createRequire(join(root, 'x.js'))('./package.json') as { dependencies?: object }
    return Object.keys(dependencies)
  } catch {
    return []
  }
}
