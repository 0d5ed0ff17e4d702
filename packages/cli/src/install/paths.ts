import { posix, win32 } from 'node:path'
import type { Machine } from './client.js'

function joinOn({ platform }: Machine, ...parts: readonly string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts)
}

export function inHome(machine: Machine, ...parts: readonly string[]): string {
  return joinOn(machine, machine.home, ...parts)
}

export function inProject(machine: Machine, ...parts: readonly string[]): string {
  return joinOn(machine, machine.folder, ...parts)
}

export function inAppData(machine: Machine, ...parts: readonly string[]): string {
  const { platform, env } = machine
  if (platform === 'win32') {
    return joinOn(machine, given(env['APPDATA']) ?? inHome(machine, 'AppData', 'Roaming'), ...parts)
  }
  if (platform === 'darwin') return inHome(machine, 'Library', 'Application Support', ...parts)
  return joinOn(machine, given(env['XDG_CONFIG_HOME']) ?? inHome(machine, '.config'), ...parts)
}

/** Returns a path in the folder where Windows keeps data of this machine, such as that of packages. */
export function inLocalAppData(machine: Machine, ...parts: readonly string[]): string {
  return joinOn(machine, given(machine.env['LOCALAPPDATA']) ?? inHome(machine, 'AppData', 'Local'), ...parts)
}

export function inFolderOf(machine: Machine, variable: string, inHomeAs: string, ...parts: readonly string[]): string {
  return joinOn(machine, given(machine.env[variable]) ?? inHome(machine, inHomeAs), ...parts)
}

function given(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}
