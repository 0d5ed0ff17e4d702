import type { JsonObject } from '../rpc/messages.js'
import { findAmbiguousUnions } from '../schema/recursive-unions.js'
import { findRepeatedGroups, isExponential } from '../schema/slow-patterns.js'
import type { Catalog } from './catalog.js'

/** Schemas that can take long to validate. */
interface SlowSchemas {
  /** One sentence for each problem. */
  readonly errors: readonly string[]
  /** Number of patterns that could be slow and were not checked. */
  readonly uncheckedPatterns: number
}

/** Time limit in milliseconds for checking the patterns of all schemas. */
const maxCheckMs = 5000

/**
 * Finds schemas that take exponential time to validate.
 *
 * @param load Loads the checker of patterns. Called before each pattern that needs the checker.
 */
export function findSlowSchemas(catalog: Catalog, load: (() => void) | null = null): SlowSchemas {
  const errors: string[] = []
  let uncheckedPatterns = 0
  const end = performance.now() + maxCheckMs
  for (const [owner, wire] of schemasOf(catalog)) {
    errors.push(...findAmbiguousUnions(wire).map((member) => describeUnion(owner, member)))
    for (const { pattern, member } of findRepeatedGroups(wire)) {
      load?.()
      const isSlow = isExponential(pattern, end - performance.now())
      if (isSlow === null) uncheckedPatterns++
      else if (isSlow) errors.push(describePattern(member === '' ? owner : `${owner}, member '${member}'`, pattern))
    }
  }
  return { errors, uncheckedPatterns }
}

function* schemasOf({ tools, prompts, resourceTemplates }: Catalog): Iterable<readonly [string, JsonObject]> {
  for (const { name, input, output } of tools.all) {
    yield [`the input of tool '${name}'`, input.wire]
    if (output !== null) yield [`the output of tool '${name}'`, output.wire]
  }
  for (const { name, input } of prompts.all) yield [`the arguments of prompt '${name}'`, input.wire]
  for (const { template, input } of resourceTemplates.all) {
    if (input !== null) yield [`the variables of resource template '${template.text}'`, input.wire]
  }
}

function describeUnion(owner: string, member: string): string {
  return (
    `${owner}: the branches of a recursive union differ only after '${member}', so validating deeply nested values takes ` +
    `exponential time, also in clients. Put a property with a constant value before '${member}'`
  )
}

function describePattern(owner: string, pattern: string): string {
  return (
    `${owner}: the pattern '${pattern}' takes exponentially long for some strings, which blocks all other calls. ` +
    `Rewrite it so that each string matches in only one way, without nested repetitions`
  )
}
