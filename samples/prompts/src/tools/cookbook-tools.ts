import { injectable, McpTool, type Static, Type } from 'toolwright'
import { Cookbook } from '../cookbook.js'

const Kitchen = Type.Object({ kitchen: Type.String({ maxLength: 100 }) })

/** A tool for the model, because prompts are chosen by users only. */
@injectable()
export class CookbookTools {
  constructor(private readonly cookbook: Cookbook) {}

  @McpTool({
    description: 'Lists the dishes of a kitchen',
    input: Kitchen,
    annotations: { readOnlyHint: true },
  })
  listDishes({ kitchen }: Static<typeof Kitchen>): string {
    return (
      this.cookbook.dishesOf(kitchen).join(', ') ||
      `There is no ${kitchen} kitchen.`
    )
  }
}
