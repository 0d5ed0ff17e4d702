import { custom, type OptionsOf, required, text, unchecked } from '@toolwright/core/options'
import { checkClaims } from './check-claims.js'
import { words } from './options.js'

type Claims = Readonly<Record<string, unknown>>

export const apiKeyOptions = {
  /** The key: at least 16 characters. Default: none; required without `sha256`. */
  key: unchecked<string>('`string`'),
  /** The key's SHA-256 in hexadecimal, instead of the key. Default: none; required without `key`. */
  sha256: unchecked<string>('`string`'),
  /** Roles of the owner. Default: none. */
  roles: words('`string[]`', []),
  /** Scopes of the key. Default: none. */
  scopes: words('`string[]`', []),
  /** Owner of the key: `principal.subject`. */
  subject: required(text({ pattern: /./s, fix: 'Name the owner of the key.' })),
  /** Further claims of the owner, a JSON object: `principal.claims`. Default: none. */
  claims: custom<Claims, Claims>('an object', checkClaims, { default: {} }),
}

/** A key, and its owner. */
export interface ApiKey extends OptionsOf<typeof apiKeyOptions> {}

export const apiKeysOptions = {
  /** The keys, and their owners. */
  keys: required(unchecked<readonly ApiKey[]>('`ApiKey[]`')),
  /** Header with the key. `authorization` means `Authorization: Bearer KEY`. Default: `x-api-key`. */
  header: text({ default: 'x-api-key', pattern: /^[!#$%&'*+.^_`|~\w-]+$/, fix: 'Give the name of a header.' }),
}

/** Options of `apiKeys`: the keys, and the header with the key. */
export interface ApiKeyOptions extends OptionsOf<typeof apiKeysOptions> {}
