import { describeValue } from '../../../errors/describe-value.js'
import type { Diagnostics } from '../../../errors/diagnostics.js'
import { isObject } from '../../../options/kinds.js'

/** Checks the formats that are served as `tools/list/NAME`. */
export function checkListFormats(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  if (!isObject(given)) {
    diagnostics.addBadOption(option, given, 'Give an object.')
    return false
  }
  const wrong = Object.entries(given).filter(
    ([name, format]) => !/^[\w.-]+$/.test(name) || typeof format !== 'function',
  )
  for (const [name, format] of wrong) {
    diagnostics.add(
      'bad-option',
      `${option} has '${name}': ${describeValue(format)}. Give a function that takes the tools, under a name of ` +
        'letters, digits and "_.-".',
    )
  }
  return wrong.length === 0
}
