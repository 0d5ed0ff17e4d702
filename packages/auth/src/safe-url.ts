/** A URL without what may be secret in it: a password, a query. For messages and the log. */
export function shownUrl({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`
}

/** Whether nobody on the way can read or change what comes from there: HTTPS, or on this machine. */
export function isSafeUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}
