import { checkShape, Type } from '@toolwright/schema'
import { appMimeType } from '../../content.js'
import { describeValue } from '../../errors/describe-value.js'
import type { Diagnostics } from '../../errors/diagnostics.js'
import type { ResourceOptions, ToolOptions } from '../../metadata/feature-options.js'
import type { JsonObject } from '../../rpc/messages.js'
import type { ToolDefinition } from '../definitions.js'
import type { FeatureRegistries } from '../feature-registry.js'
import { normalUri } from '../normal-uri.js'

// MCP Apps: a tool names the page that shows its results. The page is a resource.

const scheme = 'ui://'

export function isAppPage(uri: string): boolean {
  return uri.startsWith(scheme)
}

const closed = { additionalProperties: false }
const Origins = Type.Optional(Type.Array(Type.String({ minLength: 1 })))
const Permission = Type.Optional(Type.Object({}, closed))
const Csp = Type.Object(
  { connectDomains: Origins, resourceDomains: Origins, frameDomains: Origins, baseUriDomains: Origins },
  closed,
)
const Permissions = Type.Object(
  { camera: Permission, microphone: Permission, geolocation: Permission, clipboardWrite: Permission },
  closed,
)

const Visibility = Type.Array(Type.Enum(['model', 'app']), { minItems: 1 })
const toolUi = checkShape(
  Type.Object({ resourceUri: Type.Optional(Type.String()), visibility: Type.Optional(Visibility) }, closed),
)

const resourceUi = checkShape(
  Type.Object(
    {
      csp: Type.Optional(Csp),
      permissions: Type.Optional(Permissions),
      domain: Type.Optional(Type.String()),
      prefersBorder: Type.Optional(Type.Boolean()),
    },
    closed,
  ),
)

export function checkToolUi(options: ToolOptions, origin: string, diagnostics: Diagnostics): void {
  checkUi(toolUi, options, origin, diagnostics)
  const uri = options.ui?.resourceUri
  if (typeof uri !== 'string' || isAppPage(uri)) return
  const message =
    `${origin}: ui.resourceUri is ${describeValue(uri)}, which is not the URI of an MCP App page. ` +
    `Begin it with ${scheme}.`
  diagnostics.add('bad-uri', message)
}

export function checkResourceUi(uri: string, options: ResourceOptions, origin: string, diagnostics: Diagnostics): void {
  checkUi(resourceUi, options, origin, diagnostics)
  const { ui, mimeType } = options
  if (ui !== undefined && !isAppPage(uri)) {
    diagnostics.add(
      'bad-uri',
      `${origin}: it has the option ui, but '${uri}' is not the URI of an MCP App page. Begin it with ${scheme}.`,
    )
  }
  if (isAppPage(uri) && mimeType !== undefined && mimeType !== appMimeType) {
    const message = `${origin}: '${uri}' is the page of an MCP App, whose mimeType is always ${appMimeType}. Leave mimeType out.`
    diagnostics.add('bad-option', message)
  }
}

function checkUi(shape: typeof toolUi, options: Described, origin: string, diagnostics: Diagnostics): void {
  const { ui, _meta } = options
  if (ui === undefined) return
  const mistake = shape(ui, 'its ui')
  if (mistake !== null) {
    diagnostics.add('bad-option', `${origin}: ${mistake}. Correct it.`)
  } else if (_meta?.['ui'] !== undefined) {
    diagnostics.add(
      'bad-option',
      `${origin}: it has both ui and _meta.ui. Remove _meta.ui: the server sends ui as _meta.ui.`,
    )
  }
}

type Described = Pick<ToolOptions | ResourceOptions, 'ui' | '_meta'>

export function metaWithUi({ ui, _meta }: Described): JsonObject | undefined {
  return ui === undefined ? _meta : { ..._meta, ui }
}

export function checkAppPage(
  { ui, origin }: ToolDefinition,
  registries: FeatureRegistries,
  diagnostics: Diagnostics,
): void {
  const uri = ui?.resourceUri
  // `checkToolUi` has already reported invalid values.
  if (typeof uri !== 'string' || !isAppPage(uri) || isServed(uri, registries)) return
  const message =
    `${origin}: its ui.resourceUri is '${uri}', but no such resource is served. ` +
    'Serve it with @McpResource, or correct the URI.'
  diagnostics.add('unknown-app-page', message)
}

function isServed(uri: string, { resources, resourceTemplates }: FeatureRegistries): boolean {
  const normal = normalUri(uri)
  return (
    resources.get(uri) !== undefined || resourceTemplates.all.some(({ template }) => template.match(normal) !== null)
  )
}
