import { createServer, Inject, McpTool, type Static, Type } from 'toolwright'

class Clock {
  now(): number {
    return Date.now()
  }
}

const AlarmInput = Type.Object({ minutes: Type.Integer() })

// #region explicit
class AlarmTools {
  constructor(@Inject(Clock) private readonly clock: Clock) {}

  @McpTool({ description: 'Sets an alarm', input: AlarmInput })
  setAlarm(
    { minutes }: Static<typeof AlarmInput>,
    @Inject(Clock) clock: Clock,
  ): string {
    return new Date(
      Math.max(this.clock.now(), clock.now()) + minutes * 60_000,
    ).toISOString()
  }
}
// #endregion

const server = await createServer({
  name: 'alarm',
  version: '1.0.0',
  controllers: [AlarmTools],
})
console.log(String(server.explain()))
