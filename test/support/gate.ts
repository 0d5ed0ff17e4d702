export interface Gate {
  readonly opened: Promise<void>
  readonly open: () => void
}

/** A promise that tools wait for, and the function that resolves it. */
export function createGate(): Gate {
  const gate: { open: () => void } = { open: () => undefined }
  const opened = new Promise<void>((resolve) => {
    gate.open = resolve
  })
  return { opened, open: () => gate.open() }
}
