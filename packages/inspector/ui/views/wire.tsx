import { useState } from 'preact/hooks'
import { eraLabels } from '../parts/era-name.js'
import { FrameList } from '../parts/frames.js'
import { activeEras } from '../state/connection.js'
import { clearFrames, frames } from '../state/wire.js'

/** All frames. With both eras, in two columns. */
export function WireView() {
  const [filter, setFilter] = useState('')
  const found = frames.value.filter(
    ({ era, message }) =>
      activeEras.value.includes(era) &&
      (filter === '' || JSON.stringify(message).toLowerCase().includes(filter.toLowerCase())),
  )
  return (
    <div class="page wide">
      <div class="section-head">
        <h2>Wire</h2>
        <input
          type="search"
          placeholder="Filter frames"
          aria-label="Filter frames"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <button type="button" class="small" onClick={clearFrames}>
          Clear
        </button>
      </div>
      <p class="quiet">Every JSON-RPC message between this page and the server, with its HTTP headers.</p>
      <div class="results" data-eras={activeEras.value.length}>
        {activeEras.value.map((era) => (
          <section key={era} class="result" data-era={era} aria-label={eraLabels[era]}>
            {activeEras.value.length > 1 ? <h3>{eraLabels[era]}</h3> : null}
            <FrameList frames={found.filter((frame) => frame.era === era)} />
          </section>
        ))}
      </div>
    </div>
  )
}
