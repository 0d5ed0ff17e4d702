import type { LoginStore } from '@toolwright/core'
import { Entries } from './entries.js'

/** The default store, local to the process. A restart ends all logins. */
export class InMemoryLoginStore extends Entries implements LoginStore {
  readonly isDurable = false
}
