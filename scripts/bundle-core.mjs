// Runs when core is packed: bundles its 220 modules and TypeBox's 700 into a few files, which Node loads in a fraction of
// the time. With `publishConfig`, the packed package exports these files. Types, and the code that tests and clones run,
// stay in dist/. Other libraries are not bundled, so that users get their patches without a release of Toolwright.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const core = join(dirname(fileURLToPath(import.meta.url)), '..', 'packages', 'core')

/** @param {string} outdir Folder inside core's, where its libraries are found. */
export function bundleCore(outdir) {
  const { exports, dependencies } = JSON.parse(readFileSync(join(core, 'package.json'), 'utf8'))
  const license = readFileSync(join(core, 'node_modules', 'typebox', 'license'), 'utf8').trim()
  rmSync(outdir, { recursive: true, force: true })
  const { outputFiles } = buildSync({
    entryPoints: Object.values(exports).flatMap(({ default: file }) => (file === undefined ? [] : join(core, file))),
    outbase: join(core, 'dist'),
    outdir,
    bundle: true,
    // Puts code that entries share into one file. Otherwise, a class would exist twice.
    splitting: true,
    external: Object.keys(dependencies).filter((name) => name !== 'typebox'),
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    banner: { js: `/*! With TypeBox:\n${license}\n*/` },
    write: false,
  })
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, withNamesOfClasses(text))
  }
}

/**
 * Restores the names of classes. A class that refers to itself becomes `var Exchange = class _Exchange`, and messages would
 * show that name.
 */
function withNamesOfClasses(code) {
  const classes = [...code.matchAll(/^var (\w+) = class _\1\b/gm)].map(([, name]) => name)
  return classes.reduce((text, name) => text.replaceAll(new RegExp(`\\b_${name}\\b`, 'g'), name), code)
}

/** Rejects npm, which does not apply `publishConfig`: `exports` would name modules of dist/ that are not packed. */
function requirePnpm() {
  if (process.env.npm_config_user_agent?.startsWith('npm/') !== true) return
  console.error('npm would pack a core that cannot be imported. Pack and publish with pnpm: `npx pnpm@10 pack`.')
  process.exit(1)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  requirePnpm()
  bundleCore(join(core, 'bundle'))
}
