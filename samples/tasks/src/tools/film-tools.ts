import {
  injectable,
  McpContext,
  McpTool,
  type Static,
  ToolError,
  Type,
} from 'toolwright'
import { Laboratory } from '../laboratory.js'

const Title = Type.String({ minLength: 1, maxLength: 100 })
const Film = Type.Object({
  title: Title,
  frames: Type.Integer({ minimum: 1, maximum: 100_000 }),
})
const Reference = Type.Object({ title: Title })
const Consent = Type.Object({
  destroy: Type.Boolean({ title: 'Destroy the film' }),
})
const Length = Type.Object({
  frames: Type.Integer({ title: 'Frames', minimum: 1, maximum: 100_000 }),
})

@injectable()
export class FilmTools {
  constructor(private readonly laboratory: Laboratory) {}

  @McpTool({
    description: 'Renders a film',
    input: Film,
    task: 'optional',
    timeoutMs: 10 * 60_000,
  })
  async render(
    { title, frames }: Static<typeof Film>,
    context: McpContext,
  ): Promise<string> {
    await this.laboratory.render({ title, frames }, context.signal)
    return `Rendered '${title}': ${frames} frames.`
  }

  @McpTool({
    description: 'Destroys a film, if the user agrees',
    input: Reference,
    task: 'optional',
  })
  async destroy(
    { title }: Static<typeof Reference>,
    context: McpContext,
  ): Promise<string> {
    if (!this.laboratory.has(title))
      throw new ToolError(`There is no film '${title}'.`)
    const { content } = await context.elicit({
      key: 'consent',
      message: `Destroy '${title}'?`,
      schema: Consent,
    })
    if (content?.destroy !== true) return `Kept '${title}'.`
    this.laboratory.destroy(title)
    return `Destroyed '${title}'.`
  }

  @McpTool({
    description: 'Asks for the length of a film, and renders it',
    input: Reference,
    task: 'required',
    taskStart: 'by-handler',
  })
  async order(
    { title }: Static<typeof Reference>,
    context: McpContext,
  ): Promise<string> {
    const { content } = await context.elicit({
      key: 'length',
      message: `How long is '${title}'?`,
      schema: Length,
    })
    if (content === undefined) return 'Nothing was ordered.'
    await context.startTask()
    await this.laboratory.render({ title, ...content }, context.signal)
    return `Rendered '${title}': ${content.frames} frames.`
  }
}
