import { singleton } from 'toolwright'

export interface Entry {
  readonly category: string
  readonly euros: number
}

const spent: Readonly<Record<string, readonly Entry[]>> = {
  '2031-03': [
    { category: 'Rent', euros: 980 },
    { category: 'Food', euros: 412 },
    { category: 'Trains', euros: 86 },
    { category: 'Books', euros: 54 },
  ],
  '2031-04': [
    { category: 'Rent', euros: 980 },
    { category: 'Food', euros: 378 },
    { category: 'Trains', euros: 141 },
    { category: 'Garden', euros: 65 },
  ],
}

@singleton()
export class HouseholdBook {
  readonly months: readonly string[] = Object.keys(spent)

  /** @returns `undefined` for a month without entries. */
  entriesOf(month: string): readonly Entry[] | undefined {
    return Object.hasOwn(spent, month) ? spent[month] : undefined
  }
}
