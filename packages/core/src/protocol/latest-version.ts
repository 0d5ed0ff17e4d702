/** The newest revision. A separate file, because clients bundle it. */
export const latestVersion = '2026-07-28'
