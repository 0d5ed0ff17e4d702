import {
  checkNames,
  type Diagnostics,
  describeValue,
  isObject,
  type ReadOptions,
  readNamedOptions,
} from '@toolwright/core/options'
import type { JSONWebKeySet, JWK } from 'jose'
import { checkAudience, checkFetchedUrl, checkIssuerUrl } from './check-options.js'
import { checkTokenOptions, type TokenSettings } from './check-token-options.js'
import { describeMisplaced } from './describe-misplaced.js'
import {
  type IssuerOptions,
  issuerOptions,
  type JwtBearerOptions,
  jwtOptions,
  type keyFetchOptions,
} from './options.js'
import { faultsOf } from './preset-faults.js'

export interface IssuerSettings {
  readonly issuer: string
  /** The keys or their URL. If `undefined`, the URL is read from the issuer's metadata. */
  readonly jwks: URL | JSONWebKeySet | undefined
}

export interface JwtSettings extends TokenSettings {
  readonly issuers: readonly IssuerSettings[]
  /** Grows when the server is mounted: see `Authenticator.addResource`. */
  readonly audience: string[] | false
  readonly clients: readonly string[] | 'any'
  readonly algorithms: readonly string[]
  readonly keys: ReadOptions<typeof keyFetchOptions>
}

const caller = 'jwtBearer'

/** Checks the options and fills in the defaults. Use the result only if `diagnostics` stays empty. */
export function checkJwtOptions(options: JwtBearerOptions, diagnostics: Diagnostics): JwtSettings {
  for (const { code, message } of faultsOf(options)) diagnostics.add(code, message)
  const read = readNamedOptions(jwtOptions, options, { prefix: `${caller}: ` }, diagnostics)
  const issuers = checkIssuers(options, diagnostics)
  const { algorithms, clients, keys } = read
  // Without an audience, the clients are what distinguishes tokens for this server.
  if (options.audience === false && clients.length === 0) {
    const fix = "Name the clients whose tokens are for this server: clients: ['CLIENT-ID']. Or give an audience."
    diagnostics.add('bad-option', `${caller}: audience is false, and clients is empty. ${fix}`)
  }
  const audience = options.audience === false ? false : checkAudience(caller, options.audience, diagnostics)
  const names = issuers.map(({ issuer }) => issuer)
  const source = { caller, issuers: names, audience: audience === false ? [] : audience, usualSeconds: 60 }
  return { ...checkTokenOptions(source, read, diagnostics), issuers, audience, clients, algorithms, keys }
}

function checkIssuers({ issuer, jwks, issuers }: JwtBearerOptions, diagnostics: Diagnostics): JwtSettings['issuers'] {
  const given = issuers === undefined ? [{ issuer, jwks } as IssuerOptions] : readIssuers(issuers, diagnostics)
  if (issuers?.length === 0) diagnostics.add('bad-option', `${caller}: issuers is empty. Name at least one.`)
  if (issuers !== undefined && (issuer !== undefined || jwks !== undefined)) {
    diagnostics.add('bad-option', `${caller}: give either issuer and jwks, or issuers.`)
  }
  const names = given.map((one) => one.issuer)
  const duplicate = names.find((name, index) => typeof name === 'string' && names.indexOf(name) !== index)
  if (duplicate !== undefined)
    diagnostics.add('bad-option', `${caller}: issuer '${duplicate}' is listed twice. Remove one.`)
  return given.flatMap((one) => checkIssuer(one, diagnostics))
}

function readIssuers(issuers: unknown, diagnostics: Diagnostics): readonly IssuerOptions[] {
  if (!Array.isArray(issuers)) {
    diagnostics.addBadOption(`${caller}: issuers`, issuers, 'Give an array.')
    return []
  }
  for (const one of issuers as unknown[]) {
    if (isObject(one)) checkNames(one, Object.keys(issuerOptions), diagnostics, { prefix: `${caller}: issuers: ` })
    else diagnostics.add('bad-option', `${caller}: issuers has an entry that is not an object. Give { issuer, jwks }.`)
  }
  return issuers.filter(isObject) as IssuerOptions[]
}

function checkIssuer({ issuer, jwks }: IssuerOptions, diagnostics: Diagnostics): readonly IssuerSettings[] {
  const url = checkIssuerUrl(caller, issuer, jwks === undefined ? 'jwks' : null, diagnostics)
  const isUrl = typeof jwks === 'string' || jwks instanceof URL
  const keys = isUrl ? checkFetchedUrl(`${caller}: jwks`, jwks, diagnostics) : checkKeys(jwks, diagnostics)
  return url === undefined ? [] : [{ issuer, jwks: keys }]
}

function checkKeys(jwks: JSONWebKeySet | undefined, diagnostics: Diagnostics): JSONWebKeySet | undefined {
  if (jwks === undefined) return undefined
  const fault = findFaultOfKeys(jwks)
  if (fault !== null) {
    diagnostics.add(
      'bad-option',
      `${caller}: jwks${fault}. Give the URL of the issuer's keys, or the keys: { keys: [...] }. Or leave jwks out to ` +
        "use the URL in the issuer's metadata.",
    )
  }
  const keys: readonly (JWK | null)[] = Array.isArray(jwks?.keys) ? jwks.keys : []
  if (keys.some((key) => key?.k !== undefined || key?.d !== undefined)) {
    diagnostics.add(
      'bad-option',
      `${caller}: jwks has a secret key, which could also sign tokens. Give public keys only.`,
    )
  }
  return jwks
}

function findFaultOfKeys(jwks: unknown): string | null {
  if (typeof jwks !== 'object' || jwks === null || Array.isArray(jwks)) return ` is ${describeValue(jwks)}`
  const { keys }: { readonly keys?: unknown } = jwks
  if (!Array.isArray(keys)) return `.keys is ${describeMisplaced(keys)}`
  if (keys.length === 0) return '.keys is empty'
  const bad = keys.findIndex((key) => typeof key !== 'object' || key === null || Array.isArray(key))
  if (bad !== -1) return `.keys[${bad}] is ${describeMisplaced(keys[bad])}`
  const untyped = keys.findIndex(({ kty }: { readonly kty?: unknown }) => typeof kty !== 'string')
  if (untyped === -1) return isCloneable(jwks) ? null : ' has a value that JSON cannot express'
  return `.keys[${untyped}] is ${describeValue(keys[untyped])} without a kty, which each JSON Web Key needs`
}

/** Whether jose can copy the keys. jose copies the keys before use. */
function isCloneable(jwks: object): boolean {
  try {
    structuredClone(jwks)
    return true
  } catch {
    return false
  }
}
