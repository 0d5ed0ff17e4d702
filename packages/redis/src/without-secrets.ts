/** Removes the passwords of the URLs from an error, because old servers repeat unknown commands in their errors. */
export function withoutSecrets(error: unknown, urls: readonly string[]): unknown {
  const message = messageOf(error)
  const secrets = urls.flatMap(secretsOf).filter((secret) => message.includes(secret))
  if (secrets.length === 0) return error
  return new Error(secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message))
}

function secretsOf(url: string): readonly string[] {
  const password = URL.canParse(url) ? new URL(url).password : ''
  return password === '' ? [] : [password, decodeURIComponent(password)]
}

export function messageOf(error: unknown): string {
  const { message, errors } = (error ?? {}) as { readonly message?: unknown; readonly errors?: readonly unknown[] }
  // Joins the messages, because the connection failed at each address of the host name.
  if (message === '' && errors !== undefined) return errors.map(messageOf).join(', ')
  return String(message ?? error)
}
