import { spawnSync } from 'node:child_process'

export const hasGroups = process.platform !== 'win32'

export function killGroup(pid: number): void {
  if (!hasGroups) {
    // A signal would end the program, but not the compiler that it has started.
    spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true })
    return
  }
  try {
    process.kill(-pid)
  } catch {
    // The process group has ended already.
  }
}
