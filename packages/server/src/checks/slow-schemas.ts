import type { Catalog, JsonObject } from '@toolwright/core'
import { findAmbiguousUnions, findRepeatedGroups } from '@toolwright/schema'
import { isExponential } from './exponential-patterns.js'

interface SlowSchemas {
  readonly errors: readonly string[]
  /** Number of patterns that could be slow and were not checked. */
  readonly uncheckedPatterns: number
}

/** Time limit in milliseconds for checking the patterns of all schemas. */
const maxCheckMs = 5000

/** Finds schemas that take exponential time to validate. Takes up to seconds, so it runs only for reports to developers. */
export function findSlowSchemas(catalog: Catalog): SlowSchemas {
  const errors: string[] = []
  let uncheckedPatterns = 0
  const end = performance.now() + maxCheckMs
  for (const [owner, wire] of schemasOf(catalog)) {
    errors.push(...describeUnions(owner, wire))
    for (const { pattern, member } of findRepeatedGroups(wire)) {
      const isSlow = isExponential(pattern, end - performance.now())
      if (isSlow === null) uncheckedPatterns++
      else if (isSlow) errors.push(describePattern(member === '' ? owner : `${owner}, member '${member}'`, pattern))
    }
  }
  return { errors, uncheckedPatterns }
}

/** Finds unions that take exponential time to validate. Fast enough for the start of a server. */
export function findSlowUnions(catalog: Catalog): readonly string[] {
  return [...schemasOf(catalog)].flatMap(([owner, wire]) => describeUnions(owner, wire))
}

function describeUnions(owner: string, wire: JsonObject): readonly string[] {
  return findAmbiguousUnions(wire).map((member) => describeUnion(owner, member))
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
