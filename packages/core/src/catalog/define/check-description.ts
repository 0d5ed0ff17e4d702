import { checkShape, shorten, Type } from '@toolwright/schema'
import type { ContentAnnotations } from '../../content.js'
import { describeValue } from '../../errors/describe-value.js'
import { type Diagnostics, describeThrown } from '../../errors/diagnostics.js'
import type { Icon, ToolAnnotations } from '../../metadata/types.js'
import { checkNames } from '../../options/check-names.js'
import { isObject } from '../../options/kinds.js'
import { isDateTime } from './is-date-time.js'

const Text = Type.Optional(Type.String())
const Flag = Type.Optional(Type.Boolean())

const toolAnnotations: Readonly<Record<keyof ToolAnnotations, typeof Text | typeof Flag>> = {
  title: Text,
  readOnlyHint: Flag,
  destructiveHint: Flag,
  idempotentHint: Flag,
  openWorldHint: Flag,
}

export const contentAnnotations = {
  audience: Type.Optional(Type.Array(Type.Enum(['user', 'assistant']))),
  priority: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  lastModified: Text,
} satisfies Readonly<Record<keyof ContentAnnotations, unknown>>

export const icon = {
  src: Type.String(),
  mimeType: Text,
  sizes: Type.Optional(Type.Array(Type.String())),
  theme: Type.Optional(Type.Enum(['light', 'dark'])),
} satisfies Readonly<Record<keyof Icon, unknown>>

const shared = {
  title: Text,
  description: Text,
  mimeType: Text,
  size: Type.Optional(Type.Integer({ minimum: 0 })),
  icons: Type.Optional(Type.Array(Type.Object(icon))),
  _meta: Type.Optional(Type.Object({})),
}

const shapes = {
  tool: checkShape(Type.Object({ ...shared, annotations: Type.Optional(Type.Object(toolAnnotations)) })),
  prompt: checkShape(Type.Object(shared)),
  resource: checkShape(Type.Object({ ...shared, annotations: Type.Optional(Type.Object(contentAnnotations)) })),
}

const server = checkShape(
  Type.Object({ title: Text, description: Text, websiteUrl: Text, instructions: Text, icons: shared.icons }),
)

const annotationNames = { tool: Object.keys(toolAnnotations), prompt: [], resource: Object.keys(contentAnnotations) }

/** Spec: server/tools, "Tool Names". Names of prompts are checked with the same pattern. */
const validName = /^[A-Za-z0-9_.-]{1,128}$/

export function checkName(kind: 'tool' | 'prompt', name: unknown, origin: string, diagnostics: Diagnostics): void {
  const isText = typeof name === 'string'
  if (isText && validName.test(name)) return
  const found = isText ? `'${shorten(name)}'` : describeValue(name)
  const message = `${origin}: ${found} is not a valid ${kind} name. Use 1 to 128 of the characters A-Z a-z 0-9 _ . -`
  diagnostics.add('bad-name', message)
}

/** Accepts any string that is not empty. Clients reject a whole list if one entry has no name. */
export function checkResourceName(name: unknown, origin: string, diagnostics: Diagnostics): void {
  if (typeof name === 'string' && name !== '') return
  diagnostics.add('bad-name', `${origin}: its name is ${describeValue(name)}. Give a string that is not empty.`)
}

interface Description {
  readonly title?: unknown
  readonly description?: unknown
  readonly icons?: unknown
  readonly annotations?: unknown
  readonly _meta?: unknown
}

/** Checks the options that lists contain: a value that JSON cannot express would break the whole list. */
export function checkDescription(
  kind: keyof typeof shapes,
  options: Description,
  origin: string,
  diagnostics: Diagnostics,
): void {
  const { title, description, icons, annotations, _meta } = options
  checkIcons(`${origin}: `, icons, diagnostics)
  if (isObject(annotations)) {
    const known: readonly string[] = annotationNames[kind]
    const otherwise = `Give one of ${known.toSorted().join(', ')}, or put your own members into _meta.`
    checkNames(annotations, known, diagnostics, { prefix: `${origin}: annotations.`, otherwise })
  }
  const mistake = shapes[kind](options, 'its options')
  if (mistake !== null) {
    diagnostics.add('bad-option', `${origin}: ${mistake}. Correct the options of its decorator.`)
    return
  }
  checkLastModified(annotations, origin, diagnostics)
  try {
    JSON.stringify([title, description, icons, annotations, _meta])
  } catch (error) {
    diagnostics.add('bad-option', `${origin}: its options cannot be listed as JSON: ${describeThrown(error)}.`)
  }
}

function checkLastModified(annotations: unknown, origin: string, diagnostics: Diagnostics): void {
  const { lastModified }: ContentAnnotations = isObject(annotations) ? annotations : {}
  if (lastModified === undefined || isDateTime(lastModified)) return
  const fix =
    'Give a date with seconds and a time zone, such as the result of toISOString(). Otherwise, clients reject the whole list.'
  diagnostics.addBadOption(`${origin}: annotations.lastModified`, lastModified, fix)
}

/** Checks the description of the server. Clients do not connect to a server whose description is invalid. */
export function checkServer(
  options: { readonly icons?: unknown; readonly websiteUrl?: unknown },
  diagnostics: Diagnostics,
): void {
  const { icons, websiteUrl } = options
  checkIcons('', icons, diagnostics)
  const mistake = server(options, 'the options')
  if (mistake !== null) {
    diagnostics.add('bad-option', `${mistake}.`)
  } else if (typeof websiteUrl === 'string' && !hasScheme(websiteUrl, webSchemes)) {
    diagnostics.addBadOption('websiteUrl', websiteUrl, 'Give a URL with https://.')
  }
}

function checkIcons(prefix: string, icons: unknown, diagnostics: Diagnostics): void {
  if (!Array.isArray(icons)) return
  for (const [index, given] of (icons as unknown[]).entries()) {
    if (!isObject(given)) continue
    const at = `${prefix}icons[${index}].`
    checkNames(given, Object.keys(icon), diagnostics, { prefix: at })
    const { src }: { readonly src?: unknown } = given
    // Clients must reject other schemes (spec: Icons, "Security Considerations"), and cannot resolve a relative path.
    if (typeof src === 'string' && !hasScheme(src, iconSchemes)) {
      diagnostics.addBadOption(`${at}src`, src, 'Give an https: or data: URI: clients show no other icons.')
    }
  }
}

const webSchemes = ['https:', 'http:']
const iconSchemes = [...webSchemes, 'data:']

function hasScheme(uri: string, schemes: readonly string[]): boolean {
  return URL.canParse(uri) && schemes.includes(new URL(uri).protocol)
}
