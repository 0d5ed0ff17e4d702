import { config } from './config.js'

/**
 * Whether the shop that the tools use is available. Part of the readiness
 * check.
 */
export async function checkShop(): Promise<boolean> {
  if (config.SHOP_URL === undefined) return true
  const { ok } = await fetch(config.SHOP_URL, {
    method: 'HEAD',
    signal: AbortSignal.timeout(1000),
  })
  return ok
}
