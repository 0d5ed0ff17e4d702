// oxlint-disable import/no-cycle -- the circle is what the test is about
import { injectable } from '@toolwright/core'
import { CircleTools } from './circle-a.js'

@injectable()
export class Ledger {
  constructor(readonly tools: CircleTools) {}
}
