export interface Sum {
  readonly sum: number
}
