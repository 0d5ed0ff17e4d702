import { EventEmitter, on } from 'node:events'
import { singleton } from 'toolwright'

/** A measurement of the station. */
export interface Measurement {
  readonly celsius: number
  readonly at: string
}

/** The weather station, which sends each measurement to all feeds. */
@singleton()
export class Station {
  readonly #events = new EventEmitter<{
    measured: [Measurement]
  }>().setMaxListeners(0)
  #last: Measurement | null = null

  measure(celsius: number): Measurement {
    const measurement = { celsius, at: new Date().toISOString() }
    this.#last = measurement
    this.#events.emit('measured', measurement)
    return measurement
  }

  /** The latest measurement, and all later ones until the signal aborts. */
  async *follow(signal: AbortSignal): AsyncGenerator<Measurement> {
    const measured = on(this.#events, 'measured', { signal })
    if (this.#last !== null) yield this.#last
    try {
      for await (const [measurement] of measured)
        yield measurement as Measurement
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}
