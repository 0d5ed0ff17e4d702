import { jwtBearer, serve } from 'toolwright'
import { ForecastTools } from './validate-arguments.js'

await serve({
  name: 'weather',
  version: '1.0.0',
  controllers: [ForecastTools],
  authentication: jwtBearer({
    issuer: 'https://login.example.com/realms/main',
    audience: 'https://mcp.example.com/mcp',
  }),
})
