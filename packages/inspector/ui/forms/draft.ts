// The state of a form: texts as typed, and choices as made. The value is read from it.
import { absent, type Reading, readJson, readNumber, unreadable } from './exact-numbers.js'
import {
  choicesOf,
  fits,
  fitsJson,
  initialValue,
  isObject,
  isSame,
  itemOf,
  kindOf,
  likelyVariant,
  type Member,
  membersOf,
  type Shape,
  typeOf,
  variantsOf,
} from './schema.js'

/** One kind of state for each kind of control. `undefined` has no value. */
export type Draft =
  | undefined
  | { readonly text: string }
  | { readonly choice: number }
  | { readonly picked: readonly number[] }
  | { readonly flag: boolean }
  | { readonly items: readonly Item[] }
  | ObjectDraft
  | { readonly variant: number; readonly draft: Draft }
  /** A value from the JSON editor that its control cannot show. */
  | { readonly misfit: unknown }

export interface Item {
  /** Stays the same when other items are removed. */
  readonly key: number
  readonly draft: Draft
}

export interface ObjectDraft {
  readonly members: Readonly<Record<string, Draft>>
  /** Members that have no field, such as from the JSON editor. */
  readonly others: Readonly<Record<string, unknown>>
}

let lastKey = 0

export function newItem(draft: Draft): Item {
  return { key: ++lastKey, draft }
}

/** The state of a form that shows the value. */
export function draftOf(shape: Shape, value: unknown): Draft {
  const kind = kindOf(shape)
  if (kind === 'union') return draftOfUnion(shape, value)
  if (value === undefined) return undefined
  switch (kind) {
    case 'text':
      return typeof value === 'string' ? { text: value } : { misfit: value }
    case 'number':
    case 'integer':
      return typeof value === 'number' ? { text: String(value) } : { misfit: value }
    case 'boolean':
      return typeof value === 'boolean' ? { flag: value } : { misfit: value }
    case 'json':
      return { text: JSON.stringify(value, null, 2) }
    case 'choice': {
      const choice = indexOf(shape, value)
      return choice === -1 ? { misfit: value } : { choice }
    }
    case 'choices': {
      const picked = Array.isArray(value) ? value.map((each) => indexOf(itemOf(shape), each)) : [-1]
      return picked.includes(-1) || new Set(picked).size < picked.length ? { misfit: value } : { picked }
    }
    case 'list':
      return Array.isArray(value)
        ? { items: value.map((each) => newItem(draftOf(itemOf(shape), each))) }
        : { misfit: value }
    default:
      return isObject(value) ? draftOfObject(shape, value) : { misfit: value }
  }
}

function indexOf(shape: Shape, value: unknown): number {
  return (choicesOf(shape) ?? []).findIndex((choice) => isSame(choice.value, value))
}

function draftOfUnion(shape: Shape, value: unknown): Draft {
  if (value === undefined) return { variant: likelyVariant(shape), draft: undefined }
  const variants = variantsOf(shape)
  const variant = variants.findIndex((each) => fits(each.shape, value))
  const chosen = variants[variant]
  return chosen === undefined ? { misfit: value } : { variant, draft: draftOf(chosen.shape, value) }
}

function draftOfObject(shape: Shape, value: Readonly<Record<string, unknown>>): ObjectDraft {
  const members = membersOf(shape)
  const names = new Set(members.map(({ name }) => name))
  return {
    members: Object.fromEntries(
      members.map((member) => [
        member.name,
        draftOf(member.shape, Object.hasOwn(value, member.name) ? value[member.name] : undefined),
      ]),
    ),
    others: Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name))),
  }
}

/** The state of a variant that has just been chosen. */
export function draftOfVariant(shape: Shape, variant: number): Draft {
  const chosen = variantsOf(shape)[variant]
  return { variant, draft: chosen === undefined ? undefined : draftOf(chosen.shape, initialValue(chosen.shape, true)) }
}

/** Whether a value has to be there. An item of a list cannot be left out, as a member can. */
type Need = 'optional' | 'required' | 'item'

/** Reads the value of a form. With a problem, the value lacks the parts that cannot be read. */
export function read(shape: Shape, draft: Draft, need: Need = 'required'): Reading {
  if (draft !== undefined && 'misfit' in draft) {
    return unreadable(
      `The field cannot show ${JSON.stringify(draft.misfit).slice(0, 100)}: send it from the JSON editor.`,
    )
  }
  const reading = readDraft(shape, draft, need)
  return need === 'item' && reading.value === undefined && reading.problem === ''
    ? unreadable('The item has no value.')
    : reading
}

function readDraft(shape: Shape, draft: Exclude<Draft, { misfit: unknown }>, need: Need): Reading {
  if (draft === undefined) return need === 'item' && kindOf(shape) === 'text' ? valid('') : absent
  if ('text' in draft) return readText(shape, draft.text, need)
  if ('flag' in draft) return valid(draft.flag)
  if ('choice' in draft) return valid(choicesOf(shape)?.[draft.choice]?.value)
  if ('picked' in draft) {
    const choices = choicesOf(itemOf(shape)) ?? []
    return readList(
      shape,
      draft.picked.map((index) => valid(choices[index]?.value)),
      need,
    )
  }
  if ('items' in draft) {
    const item = itemOf(shape)
    return readList(
      shape,
      draft.items.map((each) => read(item, each.draft, 'item')),
      need,
    )
  }
  if ('members' in draft) return readObject(shape, draft)
  const chosen = variantsOf(shape)[draft.variant]
  return chosen === undefined ? absent : read(chosen.shape, draft.draft, need)
}

function valid(value: unknown): Reading {
  return { value, problem: '' }
}

function readText(shape: Shape, text: string, need: Need): Reading {
  const kind = kindOf(shape)
  if (kind === 'text') return text === '' && need !== 'item' ? absent : valid(text)
  if (kind !== 'json') return readNumber(text, kind === 'integer')
  if (text.trim() === '') return absent
  const reading = readJson(text)
  if (reading.problem !== '' || fitsJson(shape, reading.value)) return reading
  return unreadable(`This is not an ${typeOf(shape.schema)}.`)
}

const problemInside = 'A field cannot be sent.'

/** An empty list is left out if it is optional, unless the server would use its default in place of it. */
function readList({ schema }: Shape, items: readonly Reading[], need: Need): Reading {
  if (items.length === 0 && need === 'optional' && !('default' in schema)) return absent
  return {
    value: items.filter(({ problem }) => problem === '').map(({ value }) => value),
    problem: items.some(({ problem }) => problem !== '') ? problemInside : '',
  }
}

function readObject(shape: Shape, { members, others }: ObjectDraft): Reading {
  const readings = membersOf(shape).map(
    (member) => [member.name, read(member.shape, memberOf(members, member), needOf(member))] as const,
  )
  const entries = readings.filter(([, { value }]) => value !== undefined).map(([name, { value }]) => [name, value])
  return {
    value: { ...Object.fromEntries(entries), ...others },
    problem: readings.some(([, { problem }]) => problem !== '') ? problemInside : '',
  }
}

export function memberOf(members: ObjectDraft['members'], { name }: Member): Draft {
  return Object.hasOwn(members, name) ? members[name] : undefined
}

export function needOf({ isRequired }: Member): Need {
  return isRequired ? 'required' : 'optional'
}

/** The value for a changed schema: what still fits, and the initial value of the rest. */
export function carryOver(shape: Shape, value: unknown, initial: unknown = initialValue(shape)): unknown {
  if (kindOf(shape) !== 'object' || !isObject(value)) return fits(shape, value) ? value : initial
  const start = isObject(initial) ? initial : {}
  const entries = membersOf(shape)
    .map(({ name, shape: member }) => {
      const begun = Object.hasOwn(start, name) ? start[name] : undefined
      return [name, Object.hasOwn(value, name) ? carryOver(member, value[name], begun) : begun] as const
    })
    .filter(([, member]) => member !== undefined)
  return Object.fromEntries(entries)
}
