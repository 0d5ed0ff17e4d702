/** The part of autocannon's API that the benchmarks use. The package has no types. */
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
    /** Duration in seconds. */
    readonly duration: number
    readonly setupClient: (client: Client) => void
  }

  export interface Result {
    readonly '2xx': number
    readonly non2xx: number
    readonly errors: number
    readonly timeouts: number
    /** Actual duration in seconds. */
    readonly duration: number
  }

  export default function autocannon(options: Options): Promise<Result>
}
