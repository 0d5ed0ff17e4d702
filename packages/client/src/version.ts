/**
 * Version of this package, sent to the server. The version is not read from package.json, because browsers cannot read
 * that file. A test checks that both versions are equal.
 */
export const version = '0.1.0'
