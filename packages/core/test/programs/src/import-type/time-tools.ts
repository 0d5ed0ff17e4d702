import { injectable, McpTool } from '@toolwright/core'
import type { Clock, Time } from './clock.js'

@injectable()
export class TimeTools {
  constructor(readonly clock: Clock) {}

  @McpTool({ description: 'Time' })
  time(clock: Clock): Time {
    return { now: clock.now() }
  }
}
