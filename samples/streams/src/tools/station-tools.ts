import { StreamTool, ToolStream } from '@toolwright/streams'
import { McpController, McpTool, type Static, Type } from 'toolwright'
import { type Measurement, Station } from '../station.js'

const Temperature = Type.Object({
  celsius: Type.Number({ minimum: -90, maximum: 60 }),
})

@McpController()
export class StationTools {
  constructor(private readonly station: Station) {}

  // #region feed
  @StreamTool({
    description: 'Sends each measurement as it is taken',
    stream: 'text',
    timeoutMs: Infinity,
  })
  async followStation(stream: ToolStream<Measurement>): Promise<void> {
    // Ends when the client aborts, and when the server closes.
    const over = AbortSignal.any([stream.signal, stream.closing])
    const writer = stream.writable.getWriter()
    for await (const measurement of this.station.follow(over))
      await writer.write(measurement)
  }
  // #endregion

  @McpTool({ description: 'Records a temperature', input: Temperature })
  recordTemperature({ celsius }: Static<typeof Temperature>): Measurement {
    return this.station.measure(celsius)
  }
}
