import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { closureOf, packages, root } from './installed.js'

const page = readFileSync(join(root, 'docs/explanation/security-model.md'), 'utf8')
const isOwn = (name: string): boolean => /^(@toolwright\/|(create-)?toolwright$)/.test(name)

/** Packages that no server installs, with libraries that no server needs. */
const forDevelopment = ['@toolwright/cli', '@toolwright/inspector', 'create-toolwright']
const ofServers = packages.filter(({ manifest }) => !forDevelopment.includes(manifest.name))

it('no package of a server installs a package for development', () => {
  expect(ofServers).toHaveLength(packages.length - forDevelopment.length)
  const names = ofServers.flatMap((each) => closureOf(each).map(({ manifest }) => manifest.name))
  expect(names.filter((name) => forDevelopment.includes(name))).toEqual([])
})

it.each(packages.map((each) => [each.manifest.name, each] as const))(
  'no dependency of %s has an install script',
  (_name, each) => {
    const closure = closureOf(each)
    const direct = Object.keys(each.manifest.dependencies ?? {})
    expect(closure.map(({ manifest }) => manifest.name)).toEqual(expect.arrayContaining(direct))
    const running = closure.filter(
      // Scripts that npm runs during an installation, including the implicit one for a binding.gyp.
      ({ folder, manifest: { scripts = {} } }) =>
        ['preinstall', 'install', 'postinstall'].some((name) => name in scripts) ||
        existsSync(join(folder, 'binding.gyp')),
    )
    expect(running.map(({ manifest }) => `${manifest.name}@${manifest.version}`)).toEqual([])
  },
)

it('a patch release of a dependency reaches users of toolwright without a release of toolwright', () => {
  const ranges = packages.flatMap(({ manifest }) => Object.entries(manifest.dependencies ?? {}))
  const others = ranges.filter(([name]) => !isOwn(name))
  expect(others.length).toBeGreaterThan(10)
  const isPinned = ([, range]: readonly [string, string]): boolean => !/^[\^~]/.test(range)
  // Toolwright uses private members of tsyringe, which a patch release may rename.
  expect(others.filter(isPinned)).toEqual([['tsyringe', expect.any(String)]])
  // Toolwright replaces TypeBox's format checks by name.
  expect(ranges).toContainEqual(['typebox', expect.stringMatching(/^~/)])
})

it('the security model names the direct dependencies of each package', () => {
  const [, section = ''] = page.split('\n## Dependencies\n')
  const named = new Map<string, readonly string[]>()
  for (const [, item = ''] of section.split('\n## ')[0]?.matchAll(/^- ([\s\S]*?)(?=\n- |\n\n)/gm) ?? []) {
    const [name = '', ...dependencies] = [...item.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
    named.set(name, dependencies.toSorted())
  }
  const installed = ofServers
    .map(
      ({ manifest }) =>
        [manifest.name, Object.keys(manifest.dependencies ?? {}).filter((each) => !isOwn(each))] as const,
    )
    .filter(([, dependencies]) => dependencies.length > 0)
  expect(Object.fromEntries(named)).toEqual(
    Object.fromEntries(installed.map(([name, dependencies]) => [name, dependencies.toSorted()])),
  )
})

it('the security model contains the number of packages that are installed with toolwright', () => {
  const own = packages.find(({ manifest }) => manifest.name === 'toolwright')
  const others = closureOf(own as (typeof packages)[number]).filter(({ manifest }) => !isOwn(manifest.name))
  expect(page).toContain(`installs ${others.length} packages besides its own`)
})
