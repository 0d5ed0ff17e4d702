import { cancel, confirm, isCancel, select, text } from '@clack/prompts'
import { CommandError, exitCodes } from './command-error.js'
import { isInRepository } from './git.js'
import { isInstalled, type PackageManager, packageManagers } from './package-managers.js'
import type { Starter } from './starters.js'
import { checkFolder } from './write-project.js'

/** Asks for the folder. The command skips this prompt, like all others, if its flag is given. */
export async function askFolder(): Promise<string> {
  const initialValue = 'my-mcp-server'
  return answered(
    await text({
      message: 'In which folder?',
      placeholder: initialValue,
      defaultValue: initialValue,
      validate: (value) => problemWith(value === undefined || value === '' ? initialValue : value),
    }),
  )
}

function problemWith(folder: string): string | undefined {
  try {
    checkFolder(folder)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

export async function askStarter(starters: readonly Starter[]): Promise<Starter> {
  const options = starters.map((starter) => ({ value: starter, label: starter.name, hint: starter.description }))
  return answered(await select({ message: 'Which template?', options, maxItems: 10 }))
}

/** @returns `null` if the user does not want to install the dependencies now. */
export async function askPackageManager(found: PackageManager): Promise<PackageManager | null> {
  const usable = [found, ...packageManagers.filter((name) => name !== found && isInstalled(name))]
  const options = [
    ...usable.map((name) => ({ value: name as PackageManager | null, label: name })),
    { value: null, label: 'not now' },
  ]
  return answered(await select({ message: 'Install the dependencies with', options }))
}

export async function askGit(folder: string): Promise<boolean> {
  return !isInRepository(folder) && answered(await confirm({ message: 'Create a git repository?' }))
}

function answered<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (!isCancel(answer)) return answer as Exclude<Answer, symbol>
  cancel('Cancelled. Nothing was created.')
  throw new CommandError('', exitCodes.cancelled)
}
