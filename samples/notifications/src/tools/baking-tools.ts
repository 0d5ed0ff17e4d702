import {
  injectable,
  McpContext,
  McpTool,
  type ProgressUpdate,
  type Static,
  Type,
} from 'toolwright'
import { Oven } from '../oven.js'

const Temperature = Type.Object({
  degrees: Type.Integer({ minimum: 20, maximum: 300 }),
})
const Loaf = Type.Object({
  minutes: Type.Integer({ minimum: 1, maximum: 100 }),
})

/** Sends notifications during and after a call. */
@injectable()
export class BakingTools {
  constructor(private readonly oven: Oven) {}

  @McpTool({
    description: 'Bakes a loaf, and reports its progress',
    input: Loaf,
  })
  async *bake(
    { minutes }: Static<typeof Loaf>,
    context: McpContext,
  ): AsyncGenerator<ProgressUpdate, string> {
    const { degrees } = this.oven
    if (degrees < 180)
      context.sendLogMessage(
        'warning',
        { degrees, problem: 'The oven is too cold' },
        'oven',
      )
    for (let minute = 1; minute <= minutes; minute++) {
      // oxlint-disable-next-line no-await-in-loop
      await this.oven.minute(context.signal)
      context.sendLogMessage('debug', { minute }, 'oven')
      yield { progress: minute, total: minutes, message: `minute ${minute}` }
    }
    return degrees < 180 ? 'A pale loaf' : 'A brown loaf'
  }

  @McpTool({
    description: 'Sets the temperature of the oven',
    input: Temperature,
  })
  heat({ degrees }: Static<typeof Temperature>, context: McpContext): string {
    this.oven.heat(degrees)
    context.changes.resourceUpdated('bakery://oven')
    return `The oven has ${degrees} degrees.`
  }
}
