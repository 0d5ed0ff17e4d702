// Rehearses a release: publishes all packages to a registry on this machine, checks the published files, and uses them like
// new users ("strangers"): creates a project, tests it, runs it in development, and calls its tool. Nothing is published to
// npm: the only credentials are for the local registry. All other packages come from the npm registry of this machine.
//
//   npm run rehearse-release                       everything, about five minutes
//   npm run rehearse-release -- --only pnpm        only strangers whose name contains this text
//   npm run rehearse-release -- --keep             keep the folder with the projects
import { parseArgs } from 'node:util'
import { findLimits } from './rehearsal/footprint.mjs'
import { publishPackages } from './rehearsal/publish.mjs'
import { startRegistry } from './rehearsal/registry.mjs'
import { createEnvironment, useFolder } from './rehearsal/run.mjs'
import { findStrangers } from './rehearsal/strangers.mjs'
import { printTable } from './rehearsal/table.mjs'
import { checkTarballs } from './rehearsal/tarballs.mjs'

const { values } = parseArgs({ options: { only: { type: 'string' }, keep: { type: 'boolean' } } })
const start = performance.now()
const problems = []
await useFolder('rehearse-release', rehearse, { keep: values.keep })
for (const problem of problems) process.stdout.write(`${problem}\n`)
const result = problems.length === 0 ? 'The release can be made' : `${problems.length} problems`
process.stdout.write(`${result}. ${secondsSince(start)}\n`)
process.exitCode = problems.length === 0 ? 0 : 1

async function rehearse(folder) {
  const registry = await startRegistry(folder)
  const environment = createEnvironment(folder, registry)
  const published = await publishPackages(environment, registry)
  process.stdout.write(`Published ${published.length} packages to ${registry.url}, in ${secondsSince(start)}.\n\n`)

  const columns = ['package', 'files', 'packed', 'unpacked', 'contents', 'publint', 'types']
  await printTable(columns, checkTarballs(folder, environment, published), problems)

  const strangers = findStrangers(folder, environment).filter(({ name }) => name.includes(values.only ?? ''))
  await printTable(['stranger', 'create', 'install', 'test', 'dev', 'call'], visitAll(strangers), problems)

  const withNpm = strangers.find(({ name }) => name.startsWith('npm'))
  const installed = findLimits(folder, environment, withNpm?.project)
  await printTable(['installed', 'packages', 'at most', 'size', 'at most'], installed, problems)
}

/** One after the other: they would compete for the processor, and their times would mean nothing. */
async function* visitAll(strangers) {
  for (const stranger of strangers) yield await stranger.visit()
}

function secondsSince(time) {
  return `${((performance.now() - time) / 1000).toFixed(1)} s`
}
