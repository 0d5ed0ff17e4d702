import type { McpServer } from 'toolwright'

export type ListKind = 'tools' | 'prompts' | 'resources'

/** The features of a server, each as text. If the text of two features is equal, clients see no difference. */
export type Lists = Readonly<Record<ListKind, ReadonlyMap<string, string>>>

export interface ListDifference {
  readonly kind: ListKind
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

export function readLists({ catalog }: McpServer): Lists {
  const resources = [...describe(catalog.resources), ...describe(catalog.resourceTemplates)]
  return {
    tools: new Map(describe(catalog.tools)),
    prompts: new Map(describe(catalog.prompts)),
    resources: new Map(resources),
  }
}

export function compareLists(before: Lists, after: Lists): readonly ListDifference[] {
  const kinds: readonly ListKind[] = ['tools', 'prompts', 'resources']
  return kinds
    .map((kind) => compare(kind, before[kind], after[kind]))
    .filter(({ added, removed, changed }) => added.length + removed.length + changed.length > 0)
}

function compare(kind: ListKind, before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) {
  const names = [...after.keys()]
  return {
    kind,
    added: names.filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed: names.filter((name) => before.has(name) && before.get(name) !== after.get(name)),
  }
}

function describe(registry: { entries(): readonly (readonly [string, object])[] }): [string, string][] {
  return registry.entries().map(([name, definition]) => [name, toText(definition)])
}

/** Writes a definition as JSON. If JSON cannot express a definition, the text is different each time. */
function toText(definition: object): string {
  try {
    return JSON.stringify(definition)
  } catch {
    return String(Math.random())
  }
}
