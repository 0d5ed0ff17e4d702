import type { KoaContextWithOIDC } from 'oidc-provider'

const responseParameters = ['code', 'state', 'iss', 'error', 'error_description', 'scope']

/**
 * Rebuilds a redirect to the client: the engine would encode the query of the redirect URI again, and clients compare bytes. A
 * parameter of the response replaces one of the redirect URI: a registered `iss` could be mistaken for ours.
 */
export function exactRedirect(ctx: KoaContextWithOIDC): void {
  const location = ctx.response.get('location')
  const target = ctx.oidc.params?.['redirect_uri']
  if (location === '' || typeof target !== 'string' || !URL.canParse(target) || !URL.canParse(location)) return
  const { searchParams, origin, pathname, protocol } = new URL(location)
  const expected = new URL(target)
  const isToClient = origin === expected.origin && pathname === expected.pathname && protocol === expected.protocol
  if (!isToClient || !searchParams.has('iss')) return
  const added = new URLSearchParams()
  for (const name of responseParameters) {
    const value = searchParams.getAll(name).at(-1)
    if (value !== undefined) added.set(name, value)
  }
  const [base = '', query = ''] = target.split(/\?(.*)/s)
  const kept = query.split('&').filter((part) => part !== '' && !added.has(nameOf(part)))
  ctx.set('location', `${base}?${[...kept, added.toString()].join('&')}`)
}

function nameOf(part: string): string {
  const [[name = ''] = []] = new URLSearchParams(part)
  return name
}
