'use strict'

const GRACE_MS = 5000

/** Prints a plain closing line, and ends a run that an open resource would keep alive forever. */
module.exports = class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    // A file that fails to load has no tests to count, but is a failure.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites
    const skipped = results.numPendingTests + results.numTodoTests
    const counts = [`${results.numPassedTests} passed`, `${failed} failed`]
    if (skipped > 0) counts.push(`${skipped} skipped`)
    // Jest prints its own summary after this call, and the closing line has to be last.
    process.once('exit', () => process.stdout.write(`\n${counts.join(', ')}\n`))
    setTimeout(endOpenRun, GRACE_MS).unref()
  }
}

function endOpenRun() {
  const open = process.getActiveResourcesInfo().filter((name) => name !== 'Timeout')
  process.stderr.write(
    `The tests are done, but something they opened is still open ${GRACE_MS / 1000} s later: ` +
      `${open.join(', ') || 'only timers'}.\nClose every server, client and timer that a test starts.\n`,
  )
  process.exit(1)
}
