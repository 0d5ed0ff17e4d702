// Compiled with the other tests and never run: the types that follow from a description of options.
import type { ToolOptions } from '@toolwright/core'
import { count, type OptionsOf, oneOf, type ReadOptions, required, text } from '@toolwright/core/options'
import { expectSame } from './expect-type.js'

const rows = { size: count({ default: 10 }), mode: oneOf(['fast', 'safe']), name: required(text()) }
const optional = { size: count() }

/** Only required options must be given. */
export const given: OptionsOf<typeof rows> = { name: 'a' }
// @ts-expect-error The name is missing.
export const nameless: OptionsOf<typeof rows> = { size: 5 }
// @ts-expect-error Not one of the two.
export const slow: OptionsOf<typeof rows> = { name: 'a', mode: 'slow' }
// @ts-expect-error A string has none of the options, even where none is required.
export const none: OptionsOf<typeof optional> = 'size'
// @ts-expect-error It is misspelt.
export const misspelt: ToolOptions = { timeoutMS: 5 }

/** A default takes the place of `undefined`. */
expectSame<ReadOptions<typeof rows>['size'], number>()
expectSame<ReadOptions<typeof rows>['mode'], 'fast' | 'safe' | undefined>()
expectSame<ReadOptions<typeof rows>['name'], string>()
