/** Returns the header in which a server wants an API key, from its challenge. `null` for other challenges. */
export function readKeyHeader(challenge: string): string | null {
  return /^ApiKey\b[^,]*\bheader="([\w-]{1,100})"/i.exec(challenge)?.[1] ?? null
}
