import { type Principal, subjectKey } from '../context/principal.js'

/** The key of callers without credentials. Keys of authenticated callers never equal this key. */
const anonymous = 'anonymous'

/** Keys of callers for limits per caller. Without authentication, all callers share the whole limit. */
export class QuotaKeys {
  #distinguishesCallers = false

  /** Called if the server authenticates callers. After this call, callers without credentials share one quota. */
  limitAnonymousCallers(): void {
    this.#distinguishesCallers = true
  }

  of(principal: Principal | null): string | null {
    const known = subjectKey(principal)
    if (known !== null) this.limitAnonymousCallers()
    return known ?? (this.#distinguishesCallers ? anonymous : null)
  }
}
