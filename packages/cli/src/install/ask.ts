import { existsSync } from 'node:fs'
import { CommandError, exitCodes } from '../command-error.js'
import type { Client, Machine } from './client.js'
import { clients } from './clients.js'

export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY
}

export function isFound({ traces }: Client, machine: Machine): boolean {
  return traces(machine).some((path) => existsSync(path))
}

export async function askClients(machine: Machine): Promise<readonly Client[]> {
  const { multiselect } = await prompts()
  const found = clients.filter((client) => isFound(client, machine))
  const options = [...found, ...clients.filter((client) => !found.includes(client))].map((client) => ({
    value: client,
    label: client.title,
    ...(found.includes(client) ? {} : { hint: 'not found on this machine' }),
  }))
  return answer(await multiselect({ message: 'Which clients?', options, initialValues: [...found], required: true }))
}

export async function askTransport(): Promise<'stdio' | 'url'> {
  const { select } = await prompts()
  const options = [
    { value: 'stdio', label: 'stdio', hint: 'the client starts the server' } as const,
    { value: 'url', label: 'URL', hint: 'the server is already running' } as const,
  ]
  return answer(await select<'stdio' | 'url'>({ message: 'How do the clients connect?', options }))
}

export async function askText(message: string, initialValue: string): Promise<string> {
  const { text } = await prompts()
  return answer(await text({ message, initialValue }))
}

export async function askConsent(message: string): Promise<boolean> {
  const { confirm } = await prompts()
  return answer(await confirm({ message }))
}

/** Loads the prompts on demand: most runs ask nothing. */
function prompts(): Promise<typeof import('@clack/prompts')> {
  return import('@clack/prompts')
}

async function answer<Value>(value: Value): Promise<Exclude<Value, symbol>> {
  const { cancel, isCancel } = await prompts()
  if (!isCancel(value)) return value as Exclude<Value, symbol>
  cancel('Nothing was changed.')
  throw new CommandError('', exitCodes.cancelled)
}
