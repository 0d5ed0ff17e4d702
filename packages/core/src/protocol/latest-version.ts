/** The newest revision. This constant has its own file, so that clients do not bundle the server's code. */
export const latestVersion = '2026-07-28'
