// Starts `toolwright dev` for one project of a test, and removes both when the test has ended.
import { DevProcess, DevProject } from './dev-project.js'

type Files = Readonly<Record<string, string>>

export interface RunningProject {
  readonly project: DevProject
  readonly dev: DevProcess
}

const running: RunningProject[] = []

/** @param name Name of the folder of the project. */
export function runProject(
  files: Files,
  {
    name,
    args,
    env,
  }: { readonly name?: string; readonly args?: readonly string[]; readonly env?: NodeJS.ProcessEnv } = {},
): RunningProject {
  const project = new DevProject(files, name)
  const started = { project, dev: DevProcess.start(project, args, env) }
  running.push(started)
  return started
}

/** Has to run after each test. */
export async function removeProjects(): Promise<void> {
  for (const { project, dev } of running.splice(0)) {
    // oxlint-disable-next-line no-await-in-loop -- a process ends before its folder is removed
    await dev.stop()
    project.remove()
  }
}
