import { createServer, injectable, McpTool, type Static, Type } from 'toolwright'

class Clock {
  now(): number {
    return Date.now()
  }
}

const AlarmInput = Type.Object({ minutes: Type.Integer() })

@injectable()
class AlarmTools {
  constructor(private readonly clock: Clock) {}

  @McpTool({ description: 'Sets an alarm', input: AlarmInput })
  setAlarm({ minutes }: Static<typeof AlarmInput>, clock: Clock): string {
    return new Date(Math.max(this.clock.now(), clock.now()) + minutes * 60_000).toISOString()
  }
}

await createServer({ name: 'alarm', version: '1.0.0', controllers: [AlarmTools] })
