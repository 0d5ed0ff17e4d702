import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { until } from '../../../../test/support/until.js'
import { DevProcess, DevProject, main, program } from '../support/dev-project.js'

it('Ctrl+C ends toolwright dev, and its type check, although the program blocks', async () => {
  // On Windows, only a console can send Ctrl+C.
  if (process.platform === 'win32') return
  const project = new DevProject({ 'src/main.ts': `${main}\nconst wrong: string = 1\n` })
  // The processes of the command are a group, to which a terminal sends Ctrl+C.
  const dev = new DevProcess(
    spawn(process.execPath, [program, 'dev', '--no-inspector'], {
      cwd: project.folder,
      env: { ...process.env, PORT: '0' },
      detached: true,
    }),
  )
  const group = dev.child.pid as number
  await dev.output.match(/1 type error/)
  project.write('src/main.ts', "console.log('blocking')\nwhile (true) {}\n")
  await dev.output.match(/blocking/)

  // The output is open as long as a process of the group runs.
  const close = once(dev.child, 'close')
  process.kill(-group, 'SIGINT')
  const [, signal] = (await close) as [number | null, string | null]
  expect(signal).toBe('SIGKILL')
  expect(dev.output.text).toContain('The program blocks the event loop, so it was killed.')
  await until(() => !isRunning(group))
  project.remove()
})

function isRunning(group: number): boolean {
  try {
    return process.kill(-group, 0)
  } catch {
    return false
  }
}
