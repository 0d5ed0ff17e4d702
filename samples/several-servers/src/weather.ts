// A separate server, over HTTP.
import { McpTool, serve, Type } from 'toolwright'

const Place = Type.Object({ city: Type.String() })

class Weather {
  @McpTool({ description: 'Forecasts the weather of a city', input: Place })
  forecast({ city }: { city: string }): string {
    return `Sunny in ${city}`
  }
}

await serve({ name: 'weather', version: '1.0.0', controllers: [Weather] })
