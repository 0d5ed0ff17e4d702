import {
  cognito,
  entra,
  FileLoginStore,
  github,
  google,
  type LoginOptions,
  login,
  oidc,
  okta,
} from '@toolwright/login'
import { connectRedis } from '@toolwright/redis'

const { env } = process
const url = 'https://mcp.example.com/mcp'
const secret = env['LOGIN_SECRET'] ?? ''
const clientId = '11111111-1111-1111-1111-111111111111'
const clientSecret = env['CLIENT_SECRET'] ?? ''

// #region entra
const company = entra({
  tenant: '00000000-0000-0000-0000-000000000000',
  clientId,
  clientSecret,
})
// #endregion

// #region google
const workspace = google({
  clientId,
  clientSecret,
  hostedDomain: 'example.com',
})
// #endregion

// #region okta
const acme = okta({
  issuer: 'https://acme.okta.com',
  clientId,
  clientSecret,
  scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
})
// #endregion

// #region cognito
const pool = cognito({
  region: 'eu-central-1',
  userPoolId: 'eu-central-1_aBcDeFgHi',
  clientId,
  clientSecret,
})
// #endregion

// #region oidc
const any = oidc({
  issuer: 'https://login.example.com/realms/main',
  clientId,
  clientSecret,
  name: 'Example',
})
// #endregion

// #region allow
const members = new Set(['octocat'])
export const forMembers = login({
  url,
  secret,
  provider: github({ clientId, clientSecret }),
  allow: ({ claims }) => members.has(String(claims['login'])),
  scopes: ['weather:read', 'weather:write'],
  grant: ({ claims }) =>
    claims['login'] === 'octocat'
      ? ['weather:read', 'weather:write']
      : ['weather:read'],
})
// #endregion

// #region file
export const onOneNode = login({
  url,
  secret,
  provider: any,
  store: new FileLoginStore('/var/lib/weather/logins.jsonl'),
})
// #endregion

// #region redis
const redis = await connectRedis({ url: env['REDIS_URL'] ?? '' })
export const onManyNodes = login({
  url,
  secret,
  provider: any,
  store: redis.loginStore,
})
// #endregion

// #region rotate
export const rotated = login({
  url,
  secret: [env['LOGIN_SECRET'] ?? '', env['OLD_LOGIN_SECRET'] ?? ''],
  provider: any,
})
// #endregion

// #region clients
export const clients: LoginOptions['clients'] = [
  {
    id: 'cursor',
    name: 'Cursor',
    redirectUris: ['cursor://anysphere.cursor-mcp/oauth/callback'],
  },
]
// #endregion

// #region page
export const page: LoginOptions['page'] = {
  name: 'Wetter',
  logo: 'https://example.com/logo.svg',
  support: 'help@example.com',
  words: {
    lang: 'de',
    title: 'Zugriff auf {server} erlauben?',
    continue: 'Weiter mit {provider}',
    cancel: 'Abbrechen',
  },
}
// #endregion

export const others = [company, workspace, acme, pool]
