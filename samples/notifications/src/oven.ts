import { setTimeout as sleep } from 'node:timers/promises'
import { singleton } from 'toolwright'

/** An oven that takes a hundredth of a second for each minute. */
@singleton()
export class Oven {
  #degrees = 20

  get degrees(): number {
    return this.#degrees
  }

  heat(degrees: number): void {
    this.#degrees = degrees
  }

  /** @param signal Stops the baking when it aborts. */
  minute(signal: AbortSignal): Promise<void> {
    return sleep(10, undefined, { signal })
  }
}
