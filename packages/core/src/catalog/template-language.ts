import type { Part, UriTemplate } from './uri-template.js'

type Step =
  | { readonly kind: 'one'; readonly character: string }
  | { readonly kind: 'many'; readonly forbidden: RegExp | null }

/** The URIs of a template, as a finite automaton. In state `n`, the first `n` steps have matched. */
interface Language {
  readonly steps: readonly Step[]
  readonly ends: ReadonlySet<number>
  readonly literals: ReadonlySet<string>
}

/** Represents all characters that are neither delimiters nor literals of the two templates. URIs cannot contain NUL. */
const anyOther = '\0'
const delimiters = ['/', '?', '#', '.']

const languages = new WeakMap<UriTemplate, Language>()
const comparisons = new WeakMap<UriTemplate, WeakMap<UriTemplate, boolean>>()

/** Whether `other` matches every URI of `template`, and further URIs. Ignores the schemas of variables. */
export function isMoreSpecific(template: UriTemplate, other: UriTemplate): boolean {
  const compared = comparisons.get(template) ?? new WeakMap<UriTemplate, boolean>()
  comparisons.set(template, compared)
  const known = compared.get(other)
  if (known !== undefined) return known
  const [own, wider] = [languageOf(template), languageOf(other)]
  const isSpecific = isWithin(own, wider) && !isWithin(wider, own)
  compared.set(other, isSpecific)
  return isSpecific
}

export function isSameLanguage(template: UriTemplate, other: UriTemplate): boolean {
  const [one, two] = [languageOf(template), languageOf(other)]
  return isWithin(one, two) && isWithin(two, one)
}

export function haveCommonUri(template: UriTemplate, other: UriTemplate): boolean {
  const [one, two] = [languageOf(template), languageOf(other)]
  const alphabet = alphabetOf(one, two)
  return !walk((state, otherStates) => {
    if (one.ends.has(state) && otherStates.some((each) => two.ends.has(each))) return null
    return otherStates.length === 0 ? [] : movesOf(one, two, state, otherStates, alphabet)
  })
}

function isWithin(inner: Language, outer: Language): boolean {
  const alphabet = alphabetOf(inner, outer)
  return walk((state, otherStates) => {
    if (inner.ends.has(state) && !otherStates.some((each) => outer.ends.has(each))) return null
    return movesOf(inner, outer, state, otherStates, alphabet)
  })
}

type Move = readonly [state: number, otherStates: readonly number[]]

/**
 * Visits all reachable pairs: a state of one automaton, and the states that the other automaton can be in after the same
 * characters.
 *
 * @param visit Returns the next pairs; `null` stops the walk.
 * @returns Whether the walk visited all pairs.
 */
function walk(visit: (state: number, otherStates: readonly number[]) => readonly Move[] | null): boolean {
  const seen = new Set<string>()
  const open: Move[] = [[0, [0]]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const key = `${next[0]}:${next[1].join()}`
    if (seen.has(key)) continue
    seen.add(key)
    const moves = visit(next[0], next[1])
    if (moves === null) return false
    open.push(...moves)
  }
  return true
}

function movesOf(
  one: Language,
  two: Language,
  state: number,
  otherStates: readonly number[],
  alphabet: readonly string[],
): readonly Move[] {
  const step = one.steps[state]
  const repeats = one.steps[state - 1]?.kind === 'many'
  const characters = step?.kind === 'one' && !repeats ? [step.character] : alphabet
  return characters.flatMap((character) => {
    const reached = nextStates(one, state, character)
    if (reached.length === 0) return []
    const others = [...new Set(otherStates.flatMap((each) => nextStates(two, each, character)))].toSorted(
      (a, b) => a - b,
    )
    return reached.map((each) => [each, others] as const)
  })
}

function nextStates({ steps }: Language, state: number, character: string): number[] {
  const next: number[] = []
  const before = steps[state - 1]
  if (before?.kind === 'many' && takes(before, character)) next.push(state)
  const step = steps[state]
  if (step !== undefined && takes(step, character)) next.push(state + 1)
  return next
}

function takes(step: Step, character: string): boolean {
  if (step.kind === 'one') return step.character === character
  return step.forbidden === null || !step.forbidden.test(character)
}

function alphabetOf(one: Language, two: Language): readonly string[] {
  return [...new Set([...one.literals, ...two.literals, ...delimiters, anyOther])]
}

function languageOf(template: UriTemplate): Language {
  const known = languages.get(template)
  if (known !== undefined) return known
  const steps: Step[] = []
  const ends = new Set<number>()
  for (const part of template.parts) {
    if (part.kind === 'query') ends.add(steps.length)
    steps.push(...stepsOf(part))
    if (part.kind === 'query') ends.add(steps.length - 1)
  }
  ends.add(steps.length)
  const literals = new Set(steps.flatMap((step) => (step.kind === 'one' ? [step.character] : [])))
  const language = { steps, ends, literals }
  languages.set(template, language)
  return language
}

function stepsOf(part: Part): readonly Step[] {
  const literal = (text: string): Step[] => text.split('').map((character) => ({ kind: 'one', character }))
  if (part.kind === 'literal') return literal(part.text)
  const forbidden = part.kind === 'query' ? null : part.forbidden
  return [...literal(part.lead), { kind: 'many', forbidden }]
}
