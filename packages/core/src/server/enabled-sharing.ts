import { publishTo } from '../bus.js'
import type { Enabling } from '../catalog/enabling.js'
import type { Change, ChangeBus, EnabledChange } from '../context/changes.js'
import type { EnabledDecision } from '../context/enabled-decision.js'
import type { ErrorLog } from '../errors/log-failure.js'

export class EnabledSharing {
  /**
   * The clients that are notified of the decision that is being applied. `own`: the clients of this node. `none`: the node that
   * made the decision notifies all clients.
   */
  notified: 'all' | 'own' | 'none' = 'all'
  #isReady = false
  #unsubscribe: () => void = () => undefined

  constructor(
    private readonly enabling: Enabling,
    private readonly bus: ChangeBus,
    private readonly log: ErrorLog,
  ) {
    enabling.state.log = log
    enabling.onDecided = (decisions) => {
      if (this.#isReady) this.#publish({ decisions })
    }
  }

  start(): void {
    this.enabling.state.endBoot()
    this.#isReady = true
    this.#unsubscribe = this.bus.subscribe(
      (change) => this.#receive(change),
      () => this.#ask(),
    )
    this.#ask()
  }

  stop(): void {
    this.#isReady = false
    this.#unsubscribe()
  }

  #ask(): void {
    this.#publish({ decisions: this.enabling.state.atRunTime, isRepeated: true, asks: true })
  }

  #receive(change: Change): void {
    if (change.kind !== 'enabled' || change.node === this.enabling.state.node) return
    const { decisions, isRepeated, asks } = change
    this.notified = isRepeated === true ? 'own' : 'none'
    try {
      this.enabling.adopt(decisions)
    } finally {
      this.notified = 'all'
    }
    if (asks !== true) return
    const missing = this.enabling.state.atRunTime.filter((own) => !decisions.some((other) => isSame(own, other)))
    if (missing.length > 0) this.#publish({ decisions: missing, isRepeated: true })
  }

  #publish(change: Omit<EnabledChange, 'kind' | 'node'>): void {
    const { node } = this.enabling.state
    void publishTo(this.bus, { kind: 'enabled', node, ...change }, this.log, { change: 'enabled' })
  }
}

function isSame(one: EnabledDecision, other: EnabledDecision): boolean {
  return one.by === other.by && one.value === other.value && one.at === other.at && one.node === other.node
}
