// #region mount
import { createHost } from 'toolwright'
import { ForecastTools } from './validate-arguments.js'

const host = await createHost({
  name: 'weather',
  version: '1.0.0',
  controllers: [ForecastTools],
})
if (process.env['NODE_ENV'] === 'development') {
  const { inspector } = await import('@toolwright/inspector')
  await host.register(inspector, { server: host.mcp })
}
await host.listen({ port: 3000 })
// #endregion
