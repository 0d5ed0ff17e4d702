import { singleton } from 'toolwright'

export interface Order {
  readonly id: string
  readonly status: 'open' | 'paid' | 'cancelled'
}

@singleton()
export class Orders {
  readonly #orders = new Map<string, Order>([
    ['A-1', { id: 'A-1', status: 'open' }],
  ])

  find(id: string): Order | undefined {
    return this.#orders.get(id)
  }

  cancel(id: string): void {
    this.#orders.set(id, { id, status: 'cancelled' })
  }
}
