import { hash } from 'node:crypto'

/** A script that Redis runs atomically. */
export class Script {
  readonly hash: string

  constructor(readonly text: string) {
    this.hash = hash('sha1', text)
  }
}
