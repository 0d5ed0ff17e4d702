import { setTimeout as sleep } from 'node:timers/promises'
import { singleton } from 'toolwright'

/** Bakes one minute in a hundredth of a second. */
@singleton()
export class Oven {
  #degrees = 20

  get degrees(): number {
    return this.#degrees
  }

  heat(degrees: number): void {
    this.#degrees = degrees
  }

  /** @param signal Stops the clock when it aborts. */
  minute(signal: AbortSignal): Promise<void> {
    return sleep(10, undefined, { signal })
  }
}
