import { findAmbiguousUnions } from '../schema/recursive-unions.js'
import type { Catalog } from './catalog.js'

/** Describes the schemas of tools that can take long to check. */
export function findSlowSchemas({ tools }: Catalog): readonly string[] {
  return tools.all.flatMap(({ name, input, output }) => [
    ...describeUnions(`the input of tool '${name}'`, input.wire),
    ...(output === null ? [] : describeUnions(`the output of tool '${name}'`, output.wire)),
  ])
}

function describeUnions(owner: string, wire: Parameters<typeof findAmbiguousUnions>[0]): readonly string[] {
  return findAmbiguousUnions(wire).map(
    (member) =>
      `${owner}: branches of a recursive union can only be told apart after '${member}', so that checks of nested values ` +
      `take exponentially long, in clients too. Put a member with a constant value before it`,
  )
}
