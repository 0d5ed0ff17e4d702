// How the page connects: a token, other headers, roots.
import { useEffect, useRef } from 'preact/hooks'
import { primary, reconnect } from '../state/connection.js'
import { wantedHeader } from '../state/errors.js'
import { headerLines, page, rootLines, token } from '../state/settings.js'
import { latestChallenge } from '../state/wire.js'

export function SettingsDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const wanted = wantedHeader(latestChallenge(primary.value.era))
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="settings" aria-labelledby="settings-title" onClose={onClose}>
      <form
        method="dialog"
        onSubmit={() => {
          reconnect()
        }}
      >
        <header class="dialog-head">
          <h2 id="settings-title">Connection</h2>
        </header>
        <p class="quiet">
          <code>{page.target}</code>
        </p>
        <div class="field">
          <label for="setting-token">
            <span class="field-name">Bearer token</span>
          </label>
          <input
            id="setting-token"
            type="password"
            autocomplete="off"
            placeholder="none: an anonymous caller"
            value={token.value}
            onInput={({ currentTarget }) => (token.value = currentTarget.value)}
          />
          <p class="help">Sent as Authorization with every request. Kept until this tab closes.</p>
        </div>
        <div class="field">
          <label for="setting-headers">
            <span class="field-name">Other headers</span>
          </label>
          <textarea
            id="setting-headers"
            class="code"
            rows={3}
            placeholder={`${wanted ?? 'x-api-key'}: secret`}
            autofocus={wanted !== undefined}
            value={headerLines.value}
            onInput={({ currentTarget }) => (headerLines.value = currentTarget.value)}
          />
          <p class="help">
            {wanted === undefined ? 'One per line.' : `One per line. The server requires the header ${wanted}.`}
          </p>
        </div>
        <div class="field">
          <label for="setting-roots">
            <span class="field-name">Roots</span>
          </label>
          <textarea
            id="setting-roots"
            class="code"
            rows={2}
            placeholder="file:///home/me/project"
            value={rootLines.value}
            onInput={({ currentTarget }) => (rootLines.value = currentTarget.value)}
          />
          <p class="help">The answer to a server that asks for roots: one file URI per line.</p>
        </div>
        <div class="dialog-actions">
          <button type="button" onClick={() => dialog.current?.close()}>
            Close
          </button>
          <button type="submit" class="primary">
            Connect
          </button>
        </div>
      </form>
    </dialog>
  )
}
