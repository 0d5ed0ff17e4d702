import { metricsRoute, PrometheusMetrics } from '@toolwright/prometheus'
import { createHost, loggingHook } from 'toolwright'
import { ForecastTools } from './validate-arguments.js'

const metrics = new PrometheusMetrics()
const host = await createHost({
  name: 'weather',
  version: '1.0.0',
  controllers: [ForecastTools],
  hooks: [metrics, loggingHook()],
})
await host.register(metricsRoute, { metrics })

process.once('SIGTERM', () => void host.close())
await host.listen({ port: 3000 })
