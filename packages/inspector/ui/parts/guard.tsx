// Draws an error in place of a part that cannot be drawn. The rest of the page goes on.
import type { ComponentChildren } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { describeError } from '../state/errors.js'

export function Guard({ what, children }: { readonly what: string; readonly children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary() as [unknown, () => void]
  if (error === undefined) return <>{children}</>
  return (
    <div class="page guard" role="alert">
      <p class="notice bad">
        The inspector cannot show this {what}: {describeError(error).slice(0, 500)}
      </p>
      <button type="button" class="small" onClick={reset}>
        Try again
      </button>
    </div>
  )
}
