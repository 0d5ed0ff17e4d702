import { spawnSync } from 'node:child_process'

/** Whether the system has groups of processes. */
export const hasGroups = process.platform !== 'win32'

/** Ends a process and the processes that it has started. */
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
