import { createHost } from 'toolwright'
import { ForecastTools } from './validate-arguments.js'

// #region limits
export const createPatientHost = () =>
  createHost({
    name: 'weather',
    version: '1.0.0',
    controllers: [ForecastTools],
    retryMs: 5_000,
    keepAliveMs: 10_000,
    limits: { storedEventMs: 30 * 60_000, maxStoredBytes: 4 * 1024 * 1024 },
  })
// #endregion
