// The summary that a program prints when it listens.

import type { Authenticator, McpServer } from '@toolwright/core'
import { networkTransports, writeExample } from '@toolwright/core/host'
import { credentialsHeader } from '@toolwright/fastify/internal'
import { describeUnreachable, listNames } from '@toolwright/server/host'
import type { HostOptions } from './create-host.js'

/** Describes a program that listens: its address, its features and an example request. */
export function describeHost(server: McpServer, url: string, options: HostOptions): string {
  const { identity, catalog } = server
  const tools = inOrder(catalog.tools).join(', ')
  const prompts = listNames(inOrder(catalog.prompts))
  const resources = listNames([...inOrder(catalog.resources), ...inOrder(catalog.resourceTemplates)])
  const closed = findClosed(server, options)
  return [
    '',
    `${identity.name} ${identity.version} serving MCP at ${url}`,
    `  revisions  ${server.revisions.join(', ')}`,
    `  tools      ${tools === '' ? 'none yet' : tools}`,
    ...(prompts === '' ? [] : [`  prompts    ${prompts}`]),
    ...(resources === '' ? [] : [`  resources  ${resources}`]),
    ...(closed === null ? [] : [`  closed     ${closed}`]),
    ...server.explain().hints.map((hint) => `  not served ${hint}`),
    '',
    options.authentication === undefined ? 'Try it:' : 'Try it, with your credentials:',
    ...writeCommand(url, server, options),
    '',
    '',
  ].join('\n')
}

/** Writes the shortest example request that the server answers: requests of the newest revision repeat its metadata. */
function writeCommand(
  url: string,
  { revisions }: McpServer,
  { allowedHosts = [], authentication }: HostOptions,
): readonly string[] {
  const examples = revisions.map((version) => writeExample('tools/list', version))
  const { headers, body } = examples.reduce((best, other) => (other.body.length < best.body.length ? other : best))
  const given = {
    ...nameOf(url, allowedHosts),
    ...(authentication === undefined ? {} : writeCredentials(authentication)),
    'content-type': 'application/json',
    ...headers,
  }
  const flags = Object.entries(given).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)
  const [command, data] = [`  curl -s ${quote(url)} ${flags.join(' ')}`, `-d ${quote(body)}`]
  // The prompt of Windows has no single quotes, and continues no line after a backslash.
  return process.platform === 'win32' ? [`${command} ${data}`] : [`${command} \\`, `    ${data}`]
}

function writeCredentials(authentication: Authenticator): Readonly<Record<string, string>> {
  const { name, value } = credentialsHeader(authentication) ?? { name: 'authorization', value: 'Bearer YOUR_TOKEN' }
  return { [name]: value }
}

function quote(text: string): string {
  return process.platform === 'win32' ? `"${text.replaceAll('"', '\\"')}"` : `'${text}'`
}

/**
 * Returns a `host` header if `allowedHosts` does not contain the address. Without the header, the request would be
 * rejected.
 */
function nameOf(url: string, [name, ...others]: readonly string[]): { readonly host?: string } {
  const { host, hostname } = new URL(url)
  if (name === undefined || [name, ...others].some((one) => ['*', host, hostname].includes(one))) return {}
  return { host: name }
}

function inOrder(registry: McpServer['catalog']['registries'][number]['registry']): string[] {
  return registry.entries().map(([name, definition]) => {
    const notes = registry.isEnabled(definition) ? (definition.transports ?? []) : ['disabled']
    return notes.length === 0 ? name : `${name} (${notes.join(', ')})`
  })
}

export function findClosed(server: McpServer, { authentication }: HostOptions): string | null {
  return authentication === undefined
    ? describeUnreachable(server, networkTransports, 'there is no authentication')
    : null
}
