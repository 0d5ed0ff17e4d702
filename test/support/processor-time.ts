/**
 * Milliseconds of processor time that this process takes for a function. Unlike wall-clock time, it does not depend on
 * other programs.
 */
export async function processorMs(run: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
