export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** A load balancer that sends each request to the next node. */
export function inTurn(ports: readonly number[]): { fetch: Fetch; statuses: number[] } {
  let sent = 0
  const statuses: number[] = []
  const send: Fetch = async (url, init) => {
    const port = ports[sent++ % ports.length]
    const response = await fetch(String(url).replace(/:\d+/, `:${port}`), init)
    statuses.push(response.status)
    return response
  }
  return { fetch: send, statuses }
}
