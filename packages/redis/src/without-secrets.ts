/** The same error without the password of the URL: an old server repeats the commands that it does not know. */
export function withoutSecrets(error: unknown, url: string): unknown {
  const { password } = new URL(url)
  const message = messageOf(error)
  const secrets = [password, decodeURIComponent(password)].filter((secret) => message.includes(secret))
  if (password === '' || secrets.length === 0) return error
  return new Error(secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message))
}

export function messageOf(error: unknown): string {
  return String((error as { readonly message?: unknown } | null)?.message ?? error)
}
