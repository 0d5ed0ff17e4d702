import { parseArgs } from 'node:util'
import { exportSPKI, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import {
  audience,
  type IssuerKeys,
  importKey,
  issuer,
  loadKeys,
  publicKeys,
} from './issuer.js'

const usage = `Prints a token of the development issuer.

  node samples/authorization/dist/mint.js --sub alice --roles Admin --scopes tools:write

  --sub NAME              subject (default: alice)
  --roles A,B             roles (default: none)
  --scopes a,b            scopes (default: none)
  --audience NAME         audience (default: ${audience})
  --issuer URL            issuer (default: ${issuer})
  --expires-in SECONDS    seconds until it expires; negative for an expired token (default: 3600)
  --not-before SECONDS    seconds until it becomes valid (default: no such claim)
  --algorithm NAME        RS256, PS256 and ES256 are accepted by the server; HS256 signs with the public key, as attackers
                          do; none does not sign (default: RS256)
`

try {
  const values = readOptions()
  process.stdout.write(values.help ? usage : `${await mint(values)}\n`)
} catch (error) {
  // The error is in the arguments: a stack would not help.
  process.stderr.write(
    `${error instanceof Error ? error.message : String(error)}\n--help lists the options.\n`,
  )
  process.exitCode = 1
}

function readOptions() {
  const { values } = parseArgs({
    args: joinNegative(process.argv.slice(2)),
    options: {
      sub: { type: 'string', default: 'alice' },
      roles: { type: 'string', multiple: true, default: [] },
      scopes: { type: 'string', multiple: true, default: [] },
      audience: { type: 'string', default: audience },
      issuer: { type: 'string', default: issuer },
      'expires-in': { type: 'string', default: '3600' },
      'not-before': { type: 'string' },
      algorithm: { type: 'string', default: 'RS256' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  return values
}

async function mint(values: ReturnType<typeof readOptions>): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const notBefore = values['not-before']
  const claims: JWTPayload = {
    iss: values.issuer,
    aud: values.audience,
    sub: values.sub,
    iat: now,
    exp: now + readSeconds('expires-in', values['expires-in']),
    ...(notBefore === undefined
      ? {}
      : { nbf: now + readSeconds('not-before', notBefore) }),
    roles: wordsIn(values.roles),
    scope: wordsIn(values.scopes).join(' '),
  }
  return sign(claims, values.algorithm, await loadKeys())
}

async function sign(
  claims: JWTPayload,
  algorithm: string,
  keys: IssuerKeys,
): Promise<string> {
  if (algorithm.toLowerCase() === 'none')
    return new UnsecuredJWT(claims).encode()
  const jwk = algorithm === 'ES256' ? keys.ec : keys.rsa
  const token = new SignJWT(claims).setProtectedHeader({
    alg: algorithm,
    kid: jwk.kid ?? '',
    typ: 'at+jwt',
  })
  if (/^HS(?:256|384|512)$/.test(algorithm))
    return token.sign(await publicKeyAsSecret(keys))
  if (algorithm === 'ES256' || /^[RP]S(?:256|384|512)$/.test(algorithm))
    return token.sign(await importKey(jwk, algorithm))
  throw new Error(
    `--algorithm is ${algorithm}. Give RS256, PS256, ES256, HS256 or none.`,
  )
}

async function publicKeyAsSecret(keys: IssuerKeys): Promise<Uint8Array> {
  const [rsa] = publicKeys(keys).keys
  const publicKey = await importKey({ ...rsa, ext: true }, 'RS256')
  return new TextEncoder().encode(await exportSPKI(publicKey))
}

function wordsIn(texts: readonly string[]): string[] {
  return texts
    .flatMap((text) => text.split(/[ ,]+/))
    .filter((word) => word !== '')
}

function readSeconds(option: string, text: string): number {
  const seconds = Number(text)
  if (text.trim() !== '' && Number.isFinite(seconds)) return Math.trunc(seconds)
  throw new Error(`--${option} is ${text}. Give a number of seconds.`)
}

/**
 * Joins negative values with their options, because `parseArgs` treats `-60` in
 * `--expires-in -60` as an option.
 */
function joinNegative(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    if (/^-\d/.test(arg) && index > 0) return []
    const next = args[index + 1]
    return next !== undefined && /^-\d/.test(next) ? [`${arg}=${next}`] : [arg]
  })
}
