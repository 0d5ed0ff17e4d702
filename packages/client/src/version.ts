/**
 * Version of this package, sent to the server. Browsers cannot read the version from package.json. A test checks that
 * both versions are equal.
 */
export const version = '0.1.0'
