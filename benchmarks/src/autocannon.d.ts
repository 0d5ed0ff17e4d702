/** The part of autocannon that the benchmarks use; the package has no types of its own. */
declare module 'autocannon' {
  export interface Client {
    setBody(body: string): void
  }

  export interface Options {
    readonly url: string
    readonly method: 'POST'
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly connections: number
    /** Seconds. */
    readonly duration: number
    readonly setupClient: (client: Client) => void
  }

  export interface Result {
    readonly '2xx': number
    readonly non2xx: number
    readonly errors: number
    readonly timeouts: number
    /** Seconds that it really took. */
    readonly duration: number
  }

  export default function autocannon(options: Options): Promise<Result>
}
