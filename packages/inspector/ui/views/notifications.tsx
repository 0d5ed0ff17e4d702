import { useEffect } from 'preact/hooks'
import { EraLabel } from '../parts/era-name.js'
import { activeEras, connections } from '../state/connection.js'
import { notifications, unread } from '../state/notifications.js'

export function NotificationsView() {
  const all = notifications.value
  useEffect(() => {
    unread.value = 0
  }, [all])
  return (
    <div class="page">
      <div class="section-head">
        <h2>Notifications</h2>
        <button type="button" class="small" disabled={all.length === 0} onClick={() => (notifications.value = [])}>
          Clear
        </button>
      </div>
      <p class="quiet">
        Changed lists, updates of subscribed resources, and log messages. Lists reload by themselves. Subscribe to a
        resource in its view.
      </p>
      {activeEras.value.flatMap((era) =>
        connections[era].subscribed.value.map((uri) => (
          <p key={`${era} ${uri}`} class="subscription">
            <EraLabel era={era} /> <code class="uri">{uri}</code>
            <button type="button" class="small" onClick={() => void connections[era].subscribe(uri, false)}>
              Unsubscribe
            </button>
          </p>
        )),
      )}
      {all.length === 0 ? <p class="empty">No notifications yet.</p> : null}
      <ol class="notifications" aria-live="polite" aria-label="Notifications">
        {all.map(({ seq, era, time, method, params }) => (
          <li key={seq}>
            <time class="quiet">{time.toLocaleTimeString()}</time>
            <EraLabel era={era} />
            <code>{method}</code>
            <span class="log-data">{(JSON.stringify(params) ?? '').slice(0, 1000)}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}
