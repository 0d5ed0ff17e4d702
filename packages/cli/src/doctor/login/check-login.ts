import { type Flags, flagOf } from '../../client/flags.js'
import { usageError } from '../../command-error.js'
import { type Finding, fail } from '../finding.js'
import { authorize } from './authorize.js'
import { type LoginClient, loginClients } from './clients.js'
import { checkDocuments, type Discovery, discover, metadataFor } from './discover.js'
import { register } from './register.js'
import { NoAnswer, Requests } from './requests.js'
import { checkToken } from './token.js'
import { checkWebPages } from './web-pages.js'

/**
 * Walks through the login of a server as clients do, up to the page on which the user would log in. Registers each client at servers with
 * open registration.
 */
export async function checkLogin(url: URL, flags: Flags): Promise<readonly Finding[]> {
  const clients = chooseClients(flagOf(flags, 'as'))
  const requests = new Requests(url)
  let discovery: Discovery
  try {
    discovery = await discover(requests)
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return [fail('challenge', error.message, 'Correct the URL, or start the server.')]
  }
  const clientId = flagOf(flags, 'clientId')
  const walks = await Promise.all(
    clients.map(async (client) => ({ client, findings: await walk(requests, client, discovery, clientId) })),
  )
  const metadata = metadataFor(discovery)
  const token = metadata === null ? [] : await checkToken(requests, metadata)
  return [...discovery.findings, ...unite(walks), ...token, ...(await checkWebPages(requests, metadata))]
}

function chooseClients(name: string | undefined): readonly LoginClient[] {
  if (name === undefined) return loginClients
  const client = loginClients.find((one) => one.name === name)
  if (client !== undefined) return [client]
  throw usageError(`--as is '${name}'. With --login, give one of ${loginClients.map((one) => one.name).join(', ')}.`)
}

async function walk(
  requests: Requests,
  client: LoginClient,
  discovery: Discovery,
  clientId: string | undefined,
): Promise<readonly Finding[]> {
  const found = checkDocuments(client, requests.server, discovery)
  const metadata = metadataFor(discovery)
  if (metadata === null || discovery.issuer === null) return found
  const { findings, identity } = await register(requests, client, metadata, clientId)
  const parts = { client, metadata, resource: discovery.resource }
  const last = identity === null ? [] : await authorize(requests, { ...parts, identity })
  return [...found, ...findings, ...last]
}

interface Walk {
  readonly client: LoginClient
  readonly findings: readonly Finding[]
}

function unite(walks: readonly Walk[]): readonly Finding[] {
  const united = new Map<string, { readonly finding: Finding; readonly clients: string[] }>()
  for (const { client, findings } of walks) {
    for (const finding of findings) {
      const key = JSON.stringify(finding)
      const known = united.get(key)
      if (known === undefined) united.set(key, { finding, clients: [client.name] })
      else known.clients.push(client.name)
    }
  }
  const steps = [...new Set([...united.values()].map(({ finding }) => finding.check))]
  return [...united.values()]
    .map(({ finding, clients }) => ({ ...finding, clients }))
    .toSorted((one, other) => steps.indexOf(one.check) - steps.indexOf(other.check))
}
