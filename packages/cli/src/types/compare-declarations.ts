export interface Differences {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

export function compareDeclarations(before: string, after: string): Differences {
  const old = readTools(before)
  const current = readTools(after)
  return {
    added: [...current.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !current.has(name)),
    changed: [...current.keys()].filter((name) => old.has(name) && old.get(name) !== current.get(name)),
  }
}

const declaration = /^export (?:interface|type) (\w+)/m

/** Reads a file in the format of `declareTools`. @returns The text of each tool by its name. */
function readTools(file: string): ReadonlyMap<string, string> {
  const parts = file.split(/^(?=export (?:interface|type) )/m)
  const declared = new Map(parts.map((part) => [declaration.exec(part)?.[1] ?? '', part]))
  const list = declared.get('Tools') ?? ''
  // Removes `Tools`, because this word in a description would look like a reference.
  declared.delete('Tools')
  const tools = new Map<string, string>()
  let lines: string[] = []
  for (const line of list.split('\n').slice(1)) {
    lines.push(line)
    if (line !== '  }') continue
    const text = lines.join('\n')
    const [, quoted, plain = ''] = /^ {2}(?:(["'].*["'])|([\w$]+)): \{$/m.exec(text) ?? []
    tools.set(quoted === undefined ? plain : unquote(quoted), withTypes(text, declared))
    lines = []
  }
  return tools
}

function unquote(text: string): string {
  try {
    return text.startsWith('"') ? String(JSON.parse(text)) : text.slice(1, -1)
  } catch {
    return text
  }
}

function withTypes(text: string, declared: ReadonlyMap<string, string>): string {
  const found = new Set([text])
  for (const each of found) {
    for (const [name] of each.matchAll(/\w+/g)) found.add(declared.get(name) ?? '')
  }
  return [...found].join('\n')
}
