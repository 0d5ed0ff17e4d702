import {
  injectable,
  McpContext,
  McpTool,
  type Static,
  ToolError,
  Type,
} from 'toolwright'
import { Museum } from '../museum.js'

const Entry = Type.Object({ room: Type.String({ maxLength: 100 }) })

/** Changes a resource, and notifies its subscribers. */
@injectable()
export class VisitorTools {
  constructor(private readonly museum: Museum) {}

  @McpTool({ description: 'Counts a visitor who enters a room', input: Entry })
  enter({ room }: Static<typeof Entry>, context: McpContext): string {
    if (this.museum.visitorsIn(room) === undefined) {
      throw new ToolError(
        `There is no room '${room}'. The rooms are: ${this.museum.rooms.join(', ')}.`,
      )
    }
    const visitors = this.museum.enter(room)
    context.changes.resourceUpdated(`museum://rooms/${room}/visitors`)
    return `${visitors} in ${room}`
  }
}
