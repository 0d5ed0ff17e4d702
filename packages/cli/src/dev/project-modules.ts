import { createRequire } from 'node:module'
import { join, sep } from 'node:path'
import { createServer, createServerModuleRunner, type RunnableDevEnvironment, type ViteDevServer } from 'vite'
import type { ModuleRunner } from 'vite/module-runner'
import type { FileChange } from './folder-watcher.js'

/**
 * Compiles and loads the modules of a project with Vite, which takes the options of decorators and the aliases of paths
 * from tsconfig.json. Node loads the packages in node_modules, and keeps them after a reload.
 */
export class ProjectModules {
  private constructor(private readonly vite: ViteDevServer) {}

  static async open(root: string): Promise<ProjectModules> {
    const vite = await createServer({
      root,
      configFile: false,
      appType: 'custom',
      logLevel: 'silent',
      clearScreen: false,
      cacheDir: join(root, 'node_modules', '.toolwright'),
      resolve: { tsconfigPaths: true },
      // Browsers are not served, so no port, no socket and no search for packages to bundle is needed.
      server: { middlewareMode: true, hmr: false, ws: false, watch: null, preTransformRequests: false },
      optimizeDeps: { noDiscovery: true, include: [] },
      publicDir: false,
      // Vite must not load these packages, because the process must have only one copy. In a workspace, Vite treats
      // linked packages as sources.
      ssr: { external: toolwrightPackages(root) },
    })
    process.setSourceMapsEnabled(true)
    return new ProjectModules(vite)
  }

  /** Creates a runner that evaluates each module anew. */
  createRunner(): ModuleRunner {
    // Vite need not handle source maps, because Node reads those of all runners.
    return createServerModuleRunner(this.#environment, { hmr: false, sourcemapInterceptor: false })
  }

  /** Drops the compiled code of a file that has changed. */
  changed({ file, exists }: FileChange): void {
    // Vite's own watcher is off, but its listeners still reload tsconfig.json.
    this.vite.watcher.emit(exists ? 'change' : 'unlink', file)
    this.#environment.moduleGraph.onFileChange(file.split(sep).join('/'))
  }

  close(): Promise<void> {
    return this.vite.close()
  }

  get #environment(): RunnableDevEnvironment {
    return this.vite.environments.ssr as RunnableDevEnvironment
  }
}

/** Lists Toolwright's packages among the dependencies of the project. */
function toolwrightPackages(root: string): string[] {
  const all = ['toolwright', ...installed.map((name) => `@toolwright/${name}`)]
  return [
    ...all,
    'tsyringe',
    'reflect-metadata',
    ...dependenciesOf(root).filter((name) => name.startsWith('@toolwright/')),
  ]
}

const installed = ['auth', 'core', 'fastify', 'gateway', 'opentelemetry', 'prometheus', 'redis', 'testing']

function dependenciesOf(root: string): readonly string[] {
  try {
    const { dependencies = {} } = createRequire(join(root, 'x.js'))('./package.json') as { dependencies?: object }
    return Object.keys(dependencies)
  } catch {
    return []
  }
}
