// Clients with open streams in a separate process, so that they take no processor time of the measuring client.
import { floodedUri, modern, readFlags, send } from './program.mjs'

const { readers: count, port } = readFlags({ readers: 100, port: 0 })
const url = new URL(`http://127.0.0.1:${port}/mcp`)
const filter = {
  notifications: { resourceSubscriptions: Array.from({ length: 100 }, (_, index) => floodedUri(index)) },
}
const readers = await Promise.all(
  Array.from({ length: count }, () => send(url, modern(undefined, filter, 'subscriptions/listen'))),
)
if (readers.some(({ statusCode }) => statusCode !== 200)) throw new Error('a subscription was rejected')
for (const reader of readers) reader.resume().on('error', () => undefined)
process.on('message', () => {
  for (const reader of readers) reader.pause()
  process.send('paused')
})
process.on('disconnect', () => process.exit())
process.send('listening')
