import { exchange, openApi } from '@toolwright/openapi'
import { type ServerOptions, ToolError } from 'toolwright'

// #region tools
export const shop: ServerOptions = {
  name: 'shop',
  version: '1.0.0',
  sources: [
    openApi({
      document: './shop.yaml',
      baseUrl: 'https://api.example.com/v2',
      include: { tags: ['orders'] },
      auth: 'none',
    }),
  ],
}
// #endregion

// #region function
const perCaller = openApi({
  document: './shop.yaml',
  auth: async ({ principal }) => {
    const key =
      principal === null ? undefined : await findKey(principal.subject)
    if (key === undefined)
      throw new ToolError(
        'Link your shop account first: https://shop.example.com/link',
      )
    return { headers: { 'x-api-key': key } }
  },
})
// #endregion

// #region exchange
const exchanged = openApi({
  document: './shop.yaml',
  auth: exchange({
    tokenEndpoint: 'https://login.example.com/token',
    clientId: 'mcp-server',
    clientSecret: process.env['CLIENT_SECRET'],
    audience: 'shop-api',
  }),
})
// #endregion

// #region rules
const guarded = openApi({
  document: './shop.yaml',
  auth: 'none',
  rules: [
    { operations: ['purgeOrders'], authorize: { roles: ['root'] } },
    { tags: ['admin'], authorize: { roles: ['ops'] } },
    {
      methods: ['PUT', 'POST', 'PATCH', 'DELETE'],
      authorize: { scopes: ['orders:write'] },
    },
  ],
})
// #endregion

// #region names
const chosen = openApi({
  document: './shop.yaml',
  auth: 'none',
  include: ({ method, deprecated, extensions }) =>
    method === 'GET' && !deprecated && extensions['x-internal'] !== true,
  prefix: 'shop_',
  rename: { 'orders/list-for-customer': 'list_orders' },
})
// #endregion

export const variants = { perCaller, exchanged, guarded, chosen }

declare function findKey(subject: string): Promise<string | undefined>
