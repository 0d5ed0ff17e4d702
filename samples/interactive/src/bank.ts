import { singleton } from 'toolwright'

export interface Payment {
  readonly number: number
  readonly euros: number
  readonly booking: string
}

const capacity = 1000

/** Charges money with each call. */
@singleton()
export class Bank {
  readonly #payments: Payment[] = []
  #count = 0

  charge(euros: number, booking: string): Payment {
    const payment = { number: ++this.#count, euros, booking }
    this.#payments.push(payment)
    if (this.#payments.length > capacity) this.#payments.shift()
    return payment
  }

  paymentsFor(booking: string): readonly Payment[] {
    return this.#payments.filter((payment) => payment.booking === booking)
  }
}
