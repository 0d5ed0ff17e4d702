/**
 * Version of this package, sent to the server. It cannot be read from package.json in browsers. A test checks that both
 * are equal.
 */
export const version = '0.1.0'
