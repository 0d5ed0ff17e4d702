import { checkNames, type Diagnostics, isObject } from '@toolwright/core/options'

/** The words of the pages. `{server}`, `{client}`, `{provider}`, `{host}` and `{reason}` are replaced. */
export const pageWords = {
  /** Language of the words, for screen readers. */
  lang: 'en',
  title: 'Allow access to {server}?',
  intro: '{client} wants to use {server} in your name.',
  unverified: 'The app chose this name itself.',
  verified: 'The app is published by {host}.',
  returnsTo: 'After the login, your browser returns to',
  scopes: 'The app asks for',
  warning: 'Continue only if you connected this app yourself just now.',
  continue: 'Continue with {provider}',
  cancel: 'Cancel',
  support: 'Help',
  notAllowedTitle: 'You have no access',
  notAllowed: 'Your account at {provider} may not use {server}.',
  back: 'Back to the app',
  errorTitle: 'The login cannot continue',
  expired: 'The login has expired, or it began in another browser. Start it again in your app.',
  unknownClient: 'This server does not know your app any more. Remove the connection in your app, and add it again.',
  unavailable: 'The login is not available at the moment. Try again in a minute.',
  rejected: 'The request of your app is invalid: {reason}.',
}

/** The words of the pages, such as in another language. */
export type PageWords = Readonly<typeof pageWords>

export function checkWords(given: unknown, option: string, diagnostics: Diagnostics): boolean {
  const isText = (value: unknown): boolean => typeof value === 'string'
  if (!isObject(given) || !Object.values(given).every(isText)) {
    diagnostics.addBadOption(option, given, "Give an object of strings: { continue: 'Weiter mit {provider}' }.")
    return false
  }
  checkNames(given, Object.keys(pageWords), diagnostics, { prefix: `${option}.` })
  return true
}
