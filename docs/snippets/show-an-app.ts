// #region tool
import { readFile } from 'node:fs/promises'
import {
  canShowApps,
  McpContext,
  McpResource,
  McpTool,
  result,
  type Static,
  Type,
  text,
} from 'toolwright'

const Forecast = Type.Object({
  city: Type.String(),
  celsius: Type.Array(Type.Number()),
})

export class ForecastTools {
  @McpTool('show_forecast', {
    description: 'The temperatures of the next days',
    input: Type.Object({ city: Type.String() }),
    output: Forecast,
    ui: { resourceUri: 'ui://weather/forecast' },
  })
  show({ city }: { city: string }): Static<typeof Forecast> {
    return { city, celsius: [4, 6, 9] }
  }
}
// #endregion

// #region page
const page = new URL('../pages/forecast.html', import.meta.url)

export class ForecastPage {
  @McpResource('ui://weather/forecast', {
    description: 'Draws the temperatures of the next days',
    ui: {
      csp: { connectDomains: ['https://maps.example.com'] },
      prefersBorder: true,
    },
  })
  forecast(): Promise<string> {
    return readFile(page, 'utf8')
  }
}
// #endregion

export class PageTools {
  // #region words
  @McpTool({
    description: 'The temperature now',
    output: Forecast,
    ui: { resourceUri: 'ui://weather/forecast' },
  })
  now(context: McpContext) {
    const forecast = { city: 'Kiruna', celsius: [-4] }
    const words = canShowApps(context)
      ? 'The user sees it.'
      : `It is ${forecast.celsius[0]} °C in Kiruna.`
    return result({ content: [text(words)], structuredContent: forecast })
  }
  // #endregion
}
