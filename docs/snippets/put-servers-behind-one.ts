import { proxy } from '@toolwright/proxy'
import { type HostOptions, mount, type ServerOptions } from 'toolwright'

declare function readKey(user: string): Promise<string>

// #region proxy
const others = proxy({
  weather: { url: 'http://127.0.0.1:4000/mcp' },
  files: { command: 'node', args: ['files.js'], env: ['DATA_FOLDER'] },
})

export const options: HostOptions = {
  name: 'front',
  version: '1.0.0',
  sources: [others],
  health: { checks: { upstreams: others.isHealthy } },
}
// #endregion

// #region settings
export const guarded = proxy({
  billing: {
    url: 'https://billing.example.com/mcp',
    authorize: { scopes: ['billing'] },
    tool: ({ name }) => {
      if (name.startsWith('debug_')) return false
      if (name === 'refund') return { authorize: { roles: ['manager'] } }
      return { rateLimit: { calls: 10, windowMs: 60_000 } }
    },
  },
})
// #endregion

// #region auth
export const withCredentials = proxy({
  crm: {
    url: 'https://crm.example.com/mcp',
    auth: async (caller) => {
      const user = caller === null ? 'gateway' : caller.subject
      return { authorization: `Bearer ${await readKey(user)}` }
    },
  },
})
// #endregion

declare const shopOptions: ServerOptions

// #region mount
export const mounted: HostOptions = {
  name: 'front',
  version: '1.0.0',
  sources: [mount(shopOptions, { prefix: 'shop_' })],
}
// #endregion
