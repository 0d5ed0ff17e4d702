import { openApi } from '@toolwright/openapi'
import { serve } from 'toolwright'
import { startShop } from './shop.js'
import { shopDocument } from './shop-document.js'

// The API of a shop, which is usually another program.
const shop = await startShop()

await serve({
  name: 'openapi',
  version: '1.0.0',
  title: 'Garden shop',
  instructions: 'Finds seeds, and orders them.',
  sources: [
    openApi({
      name: 'garden shop',
      document: shopDocument,
      baseUrl: shop.url,
      allowPrivate: ['127.0.0.1'],
      include: { tags: ['seeds', 'orders'] },
      // With `exchange`, each caller has a token of its own: docs/how-to/serve-an-openapi-document.md
      auth: () => ({ headers: { 'x-api-key': shop.key } }),
    }),
  ],
  onClose: () => shop.close(),
})
