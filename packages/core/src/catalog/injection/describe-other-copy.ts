import type { AppContainer } from '../../container/app-container.js'
import { describeToken } from '../../container/registration.js'
import type { InjectionToken } from '../../container/tsyringe.js'
import { describeCopies, otherCopyOf, thisCopy } from '../../copies/copies.js'

/**
 * Describes a token that only another copy of this package, or of tsyringe, can inject; `null` for all other tokens. A
 * container would create a class of another copy without its registration.
 *
 * @param neededBy The dependent, for messages: `CalculatorTools.add, parameter 1`.
 */
export function describeOtherCopy(token: InjectionToken, neededBy: string, container: AppContainer): string | null {
  const other = typeof token === 'function' ? otherCopyOf(token) : undefined
  if (other !== undefined) {
    const what = `${neededBy}: ${describeToken(token)} is of another copy of @toolwright/core than the one that serves it.`
    return `${what} ${describeCopies(other.file, thisCopy.file, '@toolwright/core')}`
  }
  if (container.registrationOf(token) !== null) return null
  const otherCopy = container.otherCopyThatRegistered(token)
  if (otherCopy === undefined) return null
  return (
    `${neededBy}: ${describeToken(token)} is registered with another copy of tsyringe than the one that makes it. ` +
    `${describeCopies(otherCopy.file, container.copy.file, 'tsyringe')} Or import \`container\`, \`singleton\` and the ` +
    "rest from 'toolwright', or give the server the option `container` of the other copy."
  )
}
