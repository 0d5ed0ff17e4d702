// #region features
import { McpController, type McpServer, McpTool } from 'toolwright'

@McpController({
  tags: ['beta'],
  enabled: ({ principal }) => principal?.claims['plan'] === 'pro',
})
export class ForecastTools {
  @McpTool({ description: 'Forecasts the weather of today' })
  forecast(): string {
    return 'Sunny'
  }

  @McpTool({ description: 'Forecasts each hour', tags: ['costly'] })
  forecastHours(): string {
    return 'Sunny until noon'
  }
}

export class StationTools {
  @McpTool({ description: 'Resets all stations', enabled: false })
  resetStations(): string {
    return 'reset'
  }
}
// #endregion

// #region switch
export function saveCosts({ catalog }: McpServer): void {
  catalog.disable({ tags: ['costly'] })
  catalog.enable('reset_stations')
}
// #endregion
