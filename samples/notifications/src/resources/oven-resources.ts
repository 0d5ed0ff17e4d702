import { injectable, McpResource } from 'toolwright'
import { Oven } from '../oven.js'

@injectable()
export class OvenResources {
  constructor(private readonly oven: Oven) {}

  @McpResource('bakery://oven', { title: 'The temperature of the oven' })
  temperature(): string {
    return `${this.oven.degrees} degrees`
  }
}
