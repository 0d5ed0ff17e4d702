/** A place inside a gate. It is free again when all who hold it have let go. */
export class Slot {
  /** The first is who came in. */
  #holders = 1
  #hasLeft = false

  constructor(private readonly free: () => void) {}

  /** Holds it until a promise has settled as well. One that is free already stays so. */
  hold(promise: Promise<unknown>): void {
    if (this.#holders === 0) return
    this.#holders++
    const letGo = (): void => this.#letGo()
    promise.then(letGo, letGo)
  }

  /** Who came in is out. Calls after the first change nothing. */
  leave(): void {
    if (this.#hasLeft) return
    this.#hasLeft = true
    this.#letGo()
  }

  #letGo(): void {
    if (--this.#holders === 0) this.free()
  }
}
