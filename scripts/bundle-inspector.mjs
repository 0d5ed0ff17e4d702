// Bundles the page of the inspector: packages/inspector/ui -> packages/inspector/bundle. With --if-stale, only if needed.
import { mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const folder = join(import.meta.dirname, '..', 'packages', 'inspector')
const output = join(folder, 'bundle')

if (!process.argv.includes('--if-stale') || isStale()) await bundleInspector()

/** Whether a source is newer than the bundle. */
function isStale() {
  const built = Math.min(...['inspector.js', 'inspector.css'].map((name) => modified(join(output, name))))
  const sources = readdirSync(join(folder, 'ui'), { recursive: true, encoding: 'utf8' })
  return [...sources.map((name) => join(folder, 'ui', name)), import.meta.filename].some(
    (file) => modified(file) > built,
  )
}

function modified(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

async function bundleInspector() {
  const { outputFiles } = await build({
    entryPoints: { inspector: join(folder, 'ui', 'main.tsx') },
    outdir: output,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    loader: { '.svg': 'dataurl' },
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  })
  mkdirSync(output, { recursive: true })
  // Writes a temporary file and renames it, because another build may write to the folder at the same time.
  for (const { path, contents } of outputFiles) {
    writeFileSync(`${path}.${process.pid}`, contents)
    renameSync(`${path}.${process.pid}`, path)
  }
}
