import { CallCancelled, CallTimeout, Cancellation } from '../../../src/context/cancellation.js'
import { withTimeout } from '../../../src/timing/with-timeout.js'

const never = new Promise<never>(() => undefined)
const soon = () => new Promise((resolve) => setImmediate(resolve))

describe('Cancellation', () => {
  it('passes on the outcome of the promise without a cancellation', async () => {
    const cancellation = new Cancellation()

    await expect(cancellation.race(Promise.resolve('done'), 1000)).resolves.toBe('done')
    await expect(cancellation.race(Promise.reject(new Error('failed')), Infinity)).rejects.toThrow('failed')
    expect(cancellation.reason).toBeNull()
    expect(cancellation.signal.aborted).toBe(false)
  })

  it('rejects with the first reason, and aborts its signal with that reason', async () => {
    const cancellation = new Cancellation()
    const { signal } = cancellation
    const race = cancellation.race(never, 1000)
    const reason = new CallCancelled('enough')
    cancellation.cancel(reason)
    cancellation.cancel(new CallCancelled('again'))

    await expect(race).rejects.toBe(reason)
    expect([cancellation.reason, signal.reason]).toEqual([reason, reason])
  })

  it('returns an aborted signal after a cancellation', () => {
    const cancellation = new Cancellation()
    cancellation.cancel(new CallCancelled('enough'))

    expect(cancellation.signal.aborted).toBe(true)
    expect(cancellation.signal).toBe(cancellation.signal)
  })

  it('is cancelled by the time limit', async () => {
    const cancellation = new Cancellation()

    await expect(cancellation.race(never, 5)).rejects.toThrow('The call took longer than 5 ms')
    expect(cancellation.reason).toBeInstanceOf(CallTimeout)
  })

  it('treats a limit longer than any timer as infinite', async () => {
    const cancellation = new Cancellation()
    const race = cancellation.race(
      soon().then(() => 'done'),
      2 ** 31,
    )

    await expect(race).resolves.toBe('done')
  })

  it('handles the rejection of an abandoned promise, which would end the process', async () => {
    const cancelledBefore = new Cancellation()
    cancelledBefore.cancel(new CallCancelled('by the handler itself'))
    const cancelledAfter = new Cancellation()

    const before = cancelledBefore.race(Promise.reject(new Error('aborted')), 1000)
    const after = cancelledAfter.race(
      soon().then(() => Promise.reject(new Error('aborted'))),
      1000,
    )
    const outcomes = Promise.allSettled([before, after])
    cancelledAfter.cancel(new CallCancelled('by the client'))

    expect(await outcomes).toEqual([
      { status: 'rejected', reason: new CallCancelled('by the handler itself') },
      { status: 'rejected', reason: new CallCancelled('by the client') },
    ])
    await soon()
    await soon()
  })

  it('leaves no timer behind for a promise that settles meanwhile', async () => {
    const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout' || kind === 'Immediate').length
    // oxlint-disable-next-line unicorn/no-thenable
    const settles = { then: (resolve: (value: string) => void) => resolve('done') } as PromiseLike<string>
    const fails = {
      // oxlint-disable-next-line unicorn/no-thenable
      then: () => {
        throw new Error('no promise')
      },
    } as PromiseLike<string>

    for (let time = 0; time < 20; time++) {
      // oxlint-disable no-await-in-loop
      await expect(new Cancellation().race(settles, 1000)).resolves.toBe('done')
      await expect(new Cancellation().race(fails, 1000)).rejects.toThrow('no promise')
      await expect(withTimeout(settles, 1000)).resolves.toBe('done')
      await expect(withTimeout(fails, 1000)).rejects.toThrow('no promise')
      // oxlint-enable no-await-in-loop
    }
    await soon()

    const after = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout' || kind === 'Immediate').length
    // The test runner starts and clears timers, too.
    expect(after - before).toBeLessThan(20)
  })
})
