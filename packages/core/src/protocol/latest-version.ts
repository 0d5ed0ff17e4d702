/** The newest revision. In a separate file, so that clients do not bundle the server's code. */
export const latestVersion = '2026-07-28'
