import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { closureOf, packages, root } from './installed.js'

const page = readFileSync(join(root, 'docs/explanation/security-model.md'), 'utf8')
const isOwn = (name: string): boolean => name === 'toolwright' || name.startsWith('@toolwright/')

it.each(packages.map((each) => [each.manifest.name, each] as const))(
  'nothing that is installed with %s runs a script meanwhile',
  (_name, each) => {
    const closure = closureOf(each)
    const direct = Object.keys(each.manifest.dependencies ?? {})
    expect(closure.map(({ manifest }) => manifest.name)).toEqual(expect.arrayContaining(direct))
    const running = closure.filter(
      // What npm runs when it installs a package, with or without being told to: a binding.gyp is compiled.
      ({ folder, manifest: { scripts = {} } }) =>
        ['preinstall', 'install', 'postinstall'].some((name) => name in scripts) ||
        existsSync(join(folder, 'binding.gyp')),
    )
    expect(running.map(({ manifest }) => `${manifest.name}@${manifest.version}`)).toEqual([])
  },
)

it('a patch of a dependency reaches whoever has toolwright without a release of ours', () => {
  const ranges = packages.flatMap(({ manifest }) => Object.entries(manifest.dependencies ?? {}))
  const others = ranges.filter(([name]) => !isOwn(name))
  expect(others.length).toBeGreaterThan(10)
  const isPinned = ([, range]: readonly [string, string]): boolean => !/^[\^~]/.test(range)
  // Its private members are read, which a patch may rename.
  expect(others.filter(isPinned)).toEqual([['tsyringe', expect.any(String)]])
  // Checks of its formats are replaced by their names.
  expect(ranges).toContainEqual(['typebox', expect.stringMatching(/^~/)])
})

it('the security model names every package that is depended on, who does, and what for', () => {
  const named = [...page.matchAll(/^\| `([^`]+)` \| ([^|]+) \| [^|]+ \|$/gm)].map(([, name, users]) => ({
    name,
    users,
  }))
  const users = new Map<string, string[]>()
  for (const { manifest } of packages) {
    for (const name of Object.keys(manifest.dependencies ?? {}).filter((each) => !isOwn(each))) {
      users.set(name, [...(users.get(name) ?? []), manifest.name.replace('@toolwright/', '')])
    }
  }
  const names = [...users.keys()].toSorted()
  expect(named).toEqual(names.map((name) => ({ name, users: users.get(name)?.join(', ') })))
})

it('the security model says how many packages are installed with toolwright', () => {
  const own = packages.find(({ manifest }) => manifest.name === 'toolwright')
  const others = closureOf(own as (typeof packages)[number]).filter(({ manifest }) => !isOwn(manifest.name))
  expect(page).toContain(`${others.length} packages in all`)
})
