import { isPromiseLike } from '../timing/with-timeout.js'

/**
 * Calls a function of the application whose result the server does not use. An error of the function, thrown or as a rejected
 * promise, goes to `onFailure`: uncaught, it would end the process.
 *
 * @param onFailure Must not throw.
 */
export function runFenced(run: () => unknown, onFailure: (error: unknown) => void): void {
  try {
    const returned = run()
    if (isPromiseLike(returned)) Promise.resolve(returned).catch(onFailure)
  } catch (error) {
    onFailure(error)
  }
}

/**
 * Returns the result of a function of the application that has to be synchronous.
 *
 * @param what The function, for the message.
 * @throws TypeError for a promise. A rejection of the promise is ignored: uncaught, it would end the process.
 */
export function requireNoPromise<Value>(returned: Value, what: string): Value {
  if (!isPromiseLike(returned)) return returned
  Promise.resolve(returned).catch(() => undefined)
  throw new TypeError(`${what} returned a promise. It has to return its result`)
}
