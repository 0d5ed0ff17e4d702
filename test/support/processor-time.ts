/**
 * Milliseconds of processor time that this process takes for something: what other programs take of the machine meanwhile does
 * not count, as it does by the clock.
 */
export async function processorMs(run: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
