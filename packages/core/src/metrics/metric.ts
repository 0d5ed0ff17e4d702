export interface Gauged {
  readonly value: number
  readonly max: number
}

/** A metric: its published name, a description in one line, and its value. `null`: the store does not provide the value. */
export interface Metric<Value extends Gauged | number | null = Gauged | number | null, Parts = unknown> {
  readonly name: string
  readonly help: string
  readonly read: (parts: Parts) => Value
}
