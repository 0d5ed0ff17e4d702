import MiniSearch from 'minisearch'
import { stemmer } from 'stemmer'
import { excerptOf } from './excerpt.js'
import type { Page, Section } from './page.js'

/** A page that was found, with its section that fits best. */
export interface Found {
  readonly page: Page
  readonly section: Section
  readonly excerpt: string
}

/** Words that do not describe the subject of a question. */
const ignored = new Set(
  (
    'a about after all also am an and any are as at be before but by can do does each even for from get had has have how i if in ' +
    'into is it its me my need no not of on one only or other our should so that the their them then there they this to use ' +
    'used was we what when where which while who why will with without would you your'
  ).split(' '),
)

/**
 * Weight of a page that lists other pages: it contains the words of all these
 * pages.
 */
const indexWeight = 0.3

/** All pages, and the index to search them by words. */
export class Library {
  readonly #pages: ReadonlyMap<string, Page>
  readonly #index = new MiniSearch<Entry>({
    fields: ['title', 'description', 'heading', 'text'],
    processTerm,
    searchOptions: {
      boost: { title: 1.5, heading: 2 },
      // Stems are short: a prefix of three letters would match too many words.
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.15 : false),
      weights: { prefix: 0.4, fuzzy: 0.2 },
    },
  })
  readonly #sections: readonly {
    readonly page: Page
    readonly section: Section
  }[]

  constructor(pages: readonly Page[]) {
    this.#pages = new Map(pages.map((page) => [page.path, page]))
    this.#sections = pages.flatMap((page) =>
      page.sections.map((section) => ({ page, section })),
    )
    this.#index.addAll(
      this.#sections.map(
        ({ page: { title, description }, section: { heading, text } }, id) => ({
          id,
          title,
          description,
          heading,
          text,
        }),
      ),
    )
  }

  get pages(): readonly Page[] {
    return [...this.#pages.values()]
  }

  find(path: string): Page | undefined {
    return this.#pages.get(path)
  }

  /**
   * Finds pages by words, the best first. Ranks a page by its best section, and
   * less by the others.
   */
  search(query: string, limit: number): readonly Found[] {
    const found = new Map<
      Page,
      {
        section: Section
        terms: readonly string[]
        score: number
        weight: number
      }
    >()
    for (const { id, score, terms } of this.#index.search(query)) {
      const { page, section } = this.#sections[id as number] as {
        page: Page
        section: Section
      }
      const weight = /(^|\/)(index|readme)$/i.test(page.path) ? indexWeight : 1
      const known = found.get(page) ?? { section, terms, score: 0, weight }
      // The best section is first. The second counts half as much, the third a
      // quarter.
      found.set(page, {
        ...known,
        score: known.score + score * known.weight,
        weight: known.weight / 2,
      })
    }
    return [...found]
      .toSorted(([, one], [, other]) => other.score - one.score)
      .slice(0, limit)
      .map(([page, { section, terms }]) => ({
        page,
        section,
        excerpt: excerptOf(section.text, terms),
      }))
  }
}

interface Entry {
  readonly id: number
  readonly title: string
  readonly description: string
  readonly heading: string
  readonly text: string
}

/** Reduces a word to its stem, so that "sessions" finds "session". */
export function processTerm(term: string): string | null {
  const word = term.toLowerCase()
  return ignored.has(word) ? null : stemmer(word)
}
