import { gateway } from '@toolwright/gateway'
import { createHost } from 'toolwright'
import { CalculatorTools } from './calculator.js'

export async function createConfigured(file: string) {
  // #region config
  const options = {
    config: file,
    section: 'Mcp:ServerInfo',
    health: true,
    metrics: true,
  }
  const host = await createHost(
    await gateway({ controllers: [CalculatorTools] }, options),
  )
  // #endregion
  return host
}
