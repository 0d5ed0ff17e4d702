import { singleton } from 'toolwright'

/** The dishes of some kitchens. */
@singleton()
export class Cookbook {
  readonly #dishes: ReadonlyMap<string, readonly string[]> = new Map([
    ['italian', ['lasagne', 'minestrone', 'risotto']],
    ['indian', ['dal', 'naan', 'raita']],
    ['japanese', ['miso soup', 'ramen']],
  ])

  get kitchens(): readonly string[] {
    return [...this.#dishes.keys()]
  }

  dishesOf(kitchen: string): readonly string[] {
    return this.#dishes.get(kitchen) ?? []
  }
}
