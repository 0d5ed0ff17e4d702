type Json = Readonly<Record<string, unknown>>

/** Splits a document into documents of `size` paths, each with the components that its paths reach. */
export function sliceDocument(document: Json, size: number): Json[] {
  const paths = Object.entries(document['paths'] as Json)
  const count = Math.ceil(paths.length / size)
  return Array.from({ length: count }, (_, index) => {
    const chosen = Object.fromEntries(paths.slice(index * size, (index + 1) * size))
    const { openapi, info } = document
    return { openapi, info, paths: chosen, components: reachedFrom(chosen, document) }
  })
}

function reachedFrom(paths: unknown, document: Json): Record<string, Record<string, unknown>> {
  const components: Record<string, Record<string, unknown>> = {}
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { $ref: reference } = value as { readonly $ref?: unknown }
    const [, kind, name] =
      typeof reference === 'string' ? (/^#\/components\/([^/]+)\/([^/]+)$/.exec(reference) ?? []) : []
    if (kind !== undefined && name !== undefined && components[kind]?.[name] === undefined) {
      const component = ((document['components'] as Json)[kind] as Json)[name]
      components[kind] = { ...components[kind], [name]: component }
      visit(component)
    }
    for (const member of Object.values(value)) visit(member)
  }
  visit(paths)
  return components
}
