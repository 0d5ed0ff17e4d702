import { readFile } from 'node:fs/promises'
import type { Icon } from '@toolwright/core'
import { isObject } from '@toolwright/core/options'
import { memberOf, readSection } from './read-config.js'

export interface Identity {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly description?: string
  readonly websiteUrl?: string
  readonly icons?: readonly Icon[]
}

const texts = ['name', 'version', 'title', 'description', 'websiteUrl'] as const

/**
 * Reads the identity of a server. The default name is `mcp-gateway`. The default version is that of the package in the
 * working directory.
 *
 * @throws Error that names the file or the member.
 */
export async function readIdentity(config: string | undefined, section: string): Promise<Identity> {
  const found = await readSection(config, section)
  if (found === null && config !== undefined) {
    throw new Error(
      `config: '${config}' has no section '${section}'. Add the section, or give the name of another section as \`section\`.`,
    )
  }
  const read = texts.flatMap((name) => {
    const value = memberOf(found ?? {}, name)
    if (value === undefined || value === null || value === '') return []
    if (typeof value === 'string' || typeof value === 'number') return [[name, String(value)] as const]
    throw new Error(`config: ${section}:${name} is not a string. Correct the file.`)
  })
  const { name = 'mcp-gateway', version, ...others } = Object.fromEntries(read) as Partial<Identity>
  const icons = readIcons(memberOf(found ?? {}, 'icons'), section)
  return { name, version: version ?? (await versionOfPackage()), ...others, ...(icons === null ? {} : { icons }) }
}

function readIcons(given: unknown, section: string): readonly Icon[] | null {
  if (given === undefined || given === null) return null
  if (Array.isArray(given)) return given.map((icon, index) => readIcon(icon, `${section}:icons:${index}`))
  throw new Error(`config: ${section}:icons is not a list. Correct the file.`)
}

function readIcon(given: unknown, path: string): Icon {
  const icon = isObject(given) ? given : {}
  const [src, mimeType, sizes, theme] = ['src', 'mimeType', 'sizes', 'theme'].map((name) => memberOf(icon, name))
  if (typeof src !== 'string') throw new Error(`config: ${path} has no src. Give the URL of the icon.`)
  return {
    src,
    ...(typeof mimeType === 'string' ? { mimeType } : {}),
    ...(Array.isArray(sizes) ? { sizes: sizes.map(String) } : {}),
    ...(typeof theme === 'string' ? { theme: theme.toLowerCase() as 'light' | 'dark' } : {}),
  }
}

async function versionOfPackage(): Promise<string> {
  try {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly version?: unknown }
    return typeof version === 'string' && version !== '' ? version : '0.0.0'
  } catch {
    return '0.0.0'
  }
}
