import { basename } from 'node:path'

const longestName = 214

const reserved = ['node_modules', 'favicon.ico']

/** Converts the name of a folder to a package name that npm allows: no accents, and not reserved. */
export function packageName(folder: string): string {
  const name = basename(folder)
    .normalize('NFD')
    .replace(/\p{Mark}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '')
    .slice(0, longestName)
  return name === '' || reserved.includes(name) ? 'server' : name
}
