import type { Tool } from '@modelcontextprotocol/client'
import { distance } from 'fastest-levenshtein'
import { isSchema } from '../client/schema-types.js'
import { loadBundled } from '../load-bundled.js'
import { oneLine } from '../terminal.js'
import { type Finding, fail, listSome, ok, warn } from './finding.js'

/** A list with more tokens causes a warning: models choose worse, and each request costs noticeably more. */
const manyTokens = 10_000

const charactersPerToken = 4

/**
 * Checks a list of tools as a model reads it.
 *
 * @param reasons Reasons why the list may be empty. The last one is the fix.
 */
export function checkTools(tools: readonly Tool[], reasons: readonly string[]): readonly Finding[] {
  if (tools.length === 0) {
    const [fix = 'Add tools.', ...others] = reasons.toReversed()
    return [warn('tools', ['the server lists no tools', ...others.toReversed()].join(': '), fix)]
  }
  return [checkDescriptions(tools), checkNames(tools), checkTokens(tools), checkPatterns(tools)]
}

function checkDescriptions(tools: readonly Tool[]): Finding {
  const without = tools.filter(({ description }) => (description ?? '').trim() === '').map(({ name }) => oneLine(name))
  if (without.length === 0) return ok('descriptions', 'each tool has a description')
  return warn(
    'descriptions',
    `tools without a description: ${listSome(without)}`,
    'Add a description: models choose tools by it.',
  )
}

function checkNames(tools: readonly Tool[]): Finding {
  const names = tools.map(({ name }) => oneLine(name))
  const pairs = names.flatMap((one, index) =>
    names
      .slice(index + 1)
      .filter((other) => areAlike(one, other))
      .map((other) => `${one} and ${other}`),
  )
  if (pairs.length === 0) return ok('names', 'no two tools have names that are easily confused')
  return warn(
    'names',
    `easily confused: ${listSome(pairs)}`,
    'Rename one tool of each pair, so that the names show the difference.',
  )
}

function areAlike(one: string, other: string): boolean {
  const [first, second] = [one, other].map((name) => name.toLowerCase().replaceAll(/[-_.]/g, ''))
  if (first === undefined || second === undefined) return false
  // Names that differ in a digit, such as `step_1` and `step_2`, are usually not a mistake.
  if (first.replaceAll(/\d/g, '') === second.replaceAll(/\d/g, '') && /\d/.test(first + second)) return false
  return first === second || (Math.min(first.length, second.length) > 4 && distance(first, second) === 1)
}

function checkTokens(tools: readonly Tool[]): Finding {
  const costs = tools.map(({ name, description, inputSchema }) => ({
    name: oneLine(name),
    tokens: Math.ceil(JSON.stringify({ name, description, inputSchema }).length / charactersPerToken),
  }))
  const total = costs.reduce((sum, { tokens }) => sum + tokens, 0)
  const text = `the list of ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'} costs a model about ${total} tokens`
  if (total < manyTokens) return ok('tokens', text)
  const largest = costs.toSorted((one, other) => other.tokens - one.tokens).slice(0, 3)
  const names = largest.map(({ name, tokens }) => `${name} (${tokens})`).join(', ')
  return warn('tokens', text, `Shorten the largest: ${names}. Or serve fewer tools.`)
}

function checkPatterns(tools: readonly Tool[]): Finding {
  const patterns = tools.flatMap(({ name, inputSchema }) =>
    [...findPatterns(inputSchema)].map((pattern) => ({ name, pattern })),
  )
  if (patterns.length === 0) return ok('patterns', 'the schemas have no regular expressions')
  const checker = loadBundled<Checker>('recheck')
  const slow = patterns.filter(({ pattern }) => isExponential(checker, pattern))
  if (slow.length === 0)
    return ok(
      'patterns',
      patterns.length === 1
        ? 'the regular expression is fast for every input'
        : `${patterns.length} regular expressions are fast for every input`,
    )
  const names = listSome(slow.map(({ name, pattern }) => `${oneLine(name)}: ${oneLine(pattern)}`))
  return fail(
    'patterns',
    `can take exponential time: ${names}`,
    'Rewrite the pattern so that no repeated group contains a repetition. Or limit the length with maxLength.',
  )
}

interface Checker {
  checkSync(pattern: string, flags: string, options: object): { readonly complexity?: { readonly type: string } }
}

function isExponential(checker: Checker, pattern: string): boolean {
  const options = { timeout: 2000, maxIteration: 1, maxInitialGenerationSize: 20, attackLimit: 1_000_000 }
  return checker.checkSync(pattern, 'u', options).complexity?.type === 'exponential'
}

function findPatterns(schema: unknown, found = new Set<string>(), depth = 0): ReadonlySet<string> {
  if (depth > 50) return found
  if (Array.isArray(schema)) for (const each of schema) findPatterns(each, found, depth + 1)
  if (!isSchema(schema)) return found
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'pattern' && typeof value === 'string') found.add(value)
    else if (key === 'patternProperties' && isSchema(value)) for (const name of Object.keys(value)) found.add(name)
    findPatterns(value, found, depth + 1)
  }
  return found
}
