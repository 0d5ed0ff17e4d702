import type { Authenticator } from '@toolwright/core'

/** A header with credentials. The value has a placeholder: `YOUR_KEY` or `Bearer YOUR_KEY`. */
export interface CredentialsHeader {
  readonly name: string
  readonly value: string
}

/** Returns the header with which clients send credentials, or `null` if clients log in with a browser. */
export function credentialsHeader({ metadata, scheme }: Authenticator): CredentialsHeader | null {
  if (metadata !== undefined) return null
  const { header = 'authorization' } = scheme?.parameters ?? {}
  return { name: header, value: header.toLowerCase() === 'authorization' ? 'Bearer YOUR_KEY' : 'YOUR_KEY' }
}
