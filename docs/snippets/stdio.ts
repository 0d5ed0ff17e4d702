import { serveStdio } from 'toolwright'
import { ForecastTools } from './validate-arguments.js'

await serveStdio({
  name: 'weather',
  version: '1.0.0',
  controllers: [ForecastTools],
})
