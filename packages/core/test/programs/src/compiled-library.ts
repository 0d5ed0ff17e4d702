// Stands in for a library that was compiled with decorator metadata.
import { injectable, McpTool } from '@toolwright/core'

export class Clock {
  now(): number {
    return 7
  }
}

@injectable()
export class ClockTools {
  constructor(readonly clock: Clock) {}

  @McpTool({ description: 'Now' })
  now(): number {
    return this.clock.now()
  }
}

@injectable()
export class OtherTools {
  @McpTool({ description: 'Later' })
  later(clock: Clock): number {
    return clock.now() + 1
  }
}
