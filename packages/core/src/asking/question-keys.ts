import { BadQuestion } from './question.js'

/** Keys of the questions of one run: given ones, or numbers in the order of asking. */
export class QuestionKeys {
  readonly #used = new Set<string>()

  take(given: string | undefined): string {
    const key = given ?? `question_${this.#used.size + 1}`
    if (this.#used.has(key)) {
      throw new BadQuestion(`The key '${key}' is used twice in one call. Give each question a key of its own.`)
    }
    this.#used.add(key)
    return key
  }
}
