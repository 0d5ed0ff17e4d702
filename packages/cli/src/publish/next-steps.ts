import type { Manifest, Repository } from './manifest.js'

export interface Publication {
  readonly name: string
  readonly manifest: Manifest
  readonly repository: Repository | null
  readonly bundle: string | null
}

/** Returns the commands that upload what was prepared, in their order. This command itself uploads nothing. */
export function nextSteps({ name, manifest, repository, bundle }: Publication): readonly string[] {
  const [namespace = ''] = name.split('/')
  const domain = namespace.split('.').toReversed().join('.')
  const login = namespace.startsWith('io.github.')
    ? 'mcp-publisher login github'
    : `mcp-publisher login dns --domain ${domain} --private-key KEY`
  const isScoped = manifest.name?.startsWith('@') === true
  return [
    ...(manifest.private === true ? [] : [`npm publish${isScoped ? ' --access public' : ''}`]),
    ...(bundle === null || repository?.source !== 'github' ? [] : [`gh release create v${manifest.version} ${bundle}`]),
    login,
    'mcp-publisher publish',
  ]
}
