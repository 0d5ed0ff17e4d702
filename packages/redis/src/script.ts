import { hash } from 'node:crypto'

/** Steps that Redis runs as one: no other command comes between. */
export class Script {
  readonly hash: string

  constructor(readonly text: string) {
    this.hash = hash('sha1', text)
  }
}
