import { injectable, McpTool, type Static, ToolError, Type } from 'toolwright'
import { Library } from '../pages/library.js'
import { uriOf } from '../serve-pages.js'

const SearchInput = Type.Object({
  query: Type.String({
    description: 'Words or a question',
    minLength: 1,
    maxLength: 300,
  }),
  limit: Type.Integer({
    description: 'Maximum number of pages',
    minimum: 1,
    maximum: 20,
    default: 5,
  }),
})

const SearchOutput = Type.Object({
  pages: Type.Array(
    Type.Object({
      path: Type.String({ description: 'Argument of read_page' }),
      title: Type.String(),
      section: Type.String({
        description: 'Heading of the part that fits best',
      }),
      excerpt: Type.String(),
      uri: Type.String({ description: 'URI of the page as a resource' }),
    }),
  ),
})

const ReadInput = Type.Object({
  path: Type.String({
    description: 'Path of the page, such as guides/install',
    maxLength: 300,
  }),
  section: Type.Optional(
    Type.String({
      description: 'Heading of a section, to read only that',
      maxLength: 300,
    }),
  ),
})

const annotations = { readOnlyHint: true, openWorldHint: false }

/** Tools to find and read pages. */
@injectable()
export class PageTools {
  constructor(private readonly library: Library) {}

  @McpTool({
    description:
      'Searches the documentation, and returns the pages that fit best, with an excerpt. Read them with read_page',
    input: SearchInput,
    output: SearchOutput,
    annotations,
  })
  searchPages({
    query,
    limit,
  }: Static<typeof SearchInput>): Static<typeof SearchOutput> {
    const found = this.library.search(query, limit)
    return {
      pages: found.map(({ page, section, excerpt }) => ({
        path: page.path,
        title: page.title,
        section: section.heading,
        excerpt,
        uri: uriOf(page),
      })),
    }
  }

  @McpTool({
    description:
      'Returns a page of the documentation as Markdown, or one of its sections',
    input: ReadInput,
    annotations,
  })
  readPage({ path, section }: Static<typeof ReadInput>): string {
    const page = this.library.find(path)
    if (page === undefined) {
      const [similar] = this.library.search(path.replaceAll(/[/-]/g, ' '), 1)
      const advice =
        similar === undefined
          ? 'Search first.'
          : `Did you mean '${similar.page.path}'?`
      throw new ToolError(`There is no page '${path}'. ${advice}`)
    }
    if (section === undefined) return page.text
    const found = page.sections.find(
      ({ heading }) => heading.toLowerCase() === section.toLowerCase(),
    )
    if (found !== undefined) return found.text
    const headings = page.sections.map(({ heading }) => heading).join(', ')
    throw new ToolError(
      `'${path}' has no section '${section}'. Its sections are: ${headings}.`,
    )
  }
}
