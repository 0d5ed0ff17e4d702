/** The newest revision. This constant has a separate file, because clients bundle the file. */
export const latestVersion = '2026-07-28'
