import { github, login } from '@toolwright/login'
import { loadConfig, serve, Type } from 'toolwright'
import { ForecastTools } from './validate-arguments.js'

const {
  LOGIN_SECRET,
  GITHUB_CLIENT_ID: clientId,
  GITHUB_CLIENT_SECRET: clientSecret,
} = loadConfig(
  Type.Object({
    LOGIN_SECRET: Type.String(),
    GITHUB_CLIENT_ID: Type.String(),
    GITHUB_CLIENT_SECRET: Type.String(),
  }),
)

// #region authentication
const authentication = login({
  url: 'https://mcp.example.com/mcp',
  secret: LOGIN_SECRET,
  provider: github({ clientId, clientSecret }),
})
// #endregion

await serve({
  name: 'weather',
  version: '1.0.0',
  controllers: [ForecastTools],
  allowedHosts: ['mcp.example.com'],
  authentication,
})
