import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isObject } from '@toolwright/core/options'
import { parseJSON5 } from 'confbox/json5'
import { parseTOML } from 'confbox/toml'
import { parseYAML } from 'confbox/yaml'

const defaultFile = 'appsettings.json'

const parsers: Readonly<Record<string, (source: string) => unknown>> = {
  // .NET allows comments. The parser for JSON with comments also accepts malformed files, so JSON5 is used.
  json: (source) => parseJSON5(source),
  jsonc: (source) => parseJSON5(source),
  yaml: (source) => parseYAML(source),
  yml: (source) => parseYAML(source),
  toml: (source) => parseTOML(source),
}

/**
 * Reads a section of a configuration file.
 *
 * @param path Path of the file. Default: {@link defaultFile}, which may be missing.
 * @param section Names separated by `:`. As in .NET, the case of names is ignored.
 * @returns `null` if the default file is missing, or the file has no such section.
 * @throws Error that names the file, if the file is missing or malformed.
 */
export async function readSection(path: string | undefined, section: string): Promise<object | null> {
  const file = resolve(path ?? defaultFile)
  const source = await readSource(file, path === undefined)
  if (source === null) return null
  let value: unknown = parse(file, source)
  for (const name of section.split(':')) value = isObject(value) ? memberOf(value, name) : undefined
  return isObject(value) ? value : null
}

export function memberOf(object: object, name: string): unknown {
  const key = Object.keys(object).find((one) => one.toLowerCase() === name.toLowerCase())
  return key === undefined ? undefined : Reflect.get(object, key)
}

async function readSource(file: string, mayBeMissing: boolean): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).replace(/^\ufeff/, '')
  } catch (error) {
    if (mayBeMissing && (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new Error(`config: '${file}' cannot be read (${(error as Error).message}). Give the path of a file.`, {
      cause: error,
    })
  }
}

function parse(file: string, source: string): unknown {
  const ending = file.slice(file.lastIndexOf('.') + 1).toLowerCase()
  try {
    return parsers[ending]?.(source)
  } catch (error) {
    throw new Error(`config: '${file}' is malformed (${(error as Error).message}). Correct the file.`, { cause: error })
  }
}
