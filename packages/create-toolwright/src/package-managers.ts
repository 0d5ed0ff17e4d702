import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { detect, getUserAgent } from 'package-manager-detector/detect'

export const packageManagers = ['npm', 'pnpm', 'yarn', 'bun'] as const
export type PackageManager = (typeof packageManagers)[number]

export function isPackageManager(name: string): name is PackageManager {
  return (packageManagers as readonly string[]).includes(name)
}

/**
 * Finds the package manager that runs this program, or else the package manager of the folders above the project.
 * Default: npm.
 */
export async function findPackageManager(folder: string): Promise<PackageManager> {
  const name = getUserAgent() ?? (await detect({ cwd: folder }))?.name
  return name !== undefined && isPackageManager(name) ? name : 'npm'
}

export function isInstalled(manager: PackageManager): boolean {
  const suffixes = process.platform === 'win32' ? ['.cmd', '.exe'] : ['']
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return folders.some((folder) => suffixes.some((suffix) => isExecutable(join(folder, `${manager}${suffix}`))))
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Returns the command that runs a script of `package.json`: `bun run test`, because `bun test` would start Bun's own
 * test runner.
 */
export function scriptCommand(manager: PackageManager, script: string): string {
  if (manager === 'npm') return script === 'test' || script === 'start' ? `npm ${script}` : `npm run ${script}`
  return manager === 'bun' ? `bun run ${script}` : `${manager} ${script}`
}

export function programCommand(manager: PackageManager, program: string): string {
  return { npm: `npx ${program}`, pnpm: `pnpm exec ${program}`, yarn: `yarn ${program}`, bun: `bunx ${program}` }[
    manager
  ]
}

interface ImageSteps {
  /** Lines that install the package manager in an image of Node. The image already contains npm and Yarn 1. */
  readonly setUp: string
  readonly files: string
  readonly prune: string
}

export const imageSteps: Readonly<Record<PackageManager, ImageSteps>> = {
  npm: { setUp: '', files: 'package-lock.json*', prune: 'npm prune --omit=dev' },
  pnpm: {
    setUp: 'RUN npm install --global pnpm@10\nENV CI=true\n',
    files: 'pnpm-lock.yaml* pnpm-workspace.yaml*',
    prune: 'pnpm prune --prod',
  },
  yarn: {
    // Yarn 4 is installed, because Yarn 1 cannot read the lockfile of a newer Yarn.
    setUp: 'RUN npm install --global --force @yarnpkg/cli-dist@4\n',
    files: 'yarn.lock* .yarnrc.yml*',
    prune: 'yarn workspaces focus --production',
  },
  bun: {
    setUp: 'RUN npm install --global bun@1\n',
    files: 'bun.lock*',
    prune: 'rm -rf node_modules && bun install --production',
  },
}
