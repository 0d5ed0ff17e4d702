import type { ServerOptions } from 'toolwright'
import { ShopTools } from './tools.js'

/** The options of the shop, which could also run alone. */
export const shop: ServerOptions = {
  name: 'shop',
  version: '1.0.0',
  controllers: [ShopTools],
}
