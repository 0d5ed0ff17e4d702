// #region web-socket
import { createHost } from 'toolwright'
import { ForecastTools } from './validate-arguments.js'

export const createSocketHost = () =>
  createHost({
    name: 'weather',
    version: '1.0.0',
    controllers: [ForecastTools],
    webSocket: true,
  })
// #endregion

export const createRpcHost = () =>
  createHost({
    name: 'weather',
    version: '1.0.0',
    controllers: [ForecastTools],
    rpc: { path: '/json-rpc' },
  })
