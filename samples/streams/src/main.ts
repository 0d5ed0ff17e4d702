import { streams } from '@toolwright/streams'
import { serve } from 'toolwright'

await serve({
  name: 'streams',
  version: '1.0.0',
  title: 'Weather station',
  instructions:
    'Stores files of measurements, and sends measurements as they are taken.',
  scan: new URL('./tools/', import.meta.url),
  // Tools stream over WebSocket, at /ws. Other transports list only the other
  // tools.
  webSocket: true,
  extensions: [streams({ maxBytes: 100_000_000 })],
})
