// A client of the server: `node dist/client.js upload FILE`, `download NAME FILE` or `follow`. URL changes the address.
import { createReadStream, createWriteStream } from 'node:fs'
import { basename } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { openStream } from '@toolwright/streams/client'
import type { Measurement } from './station.js'

const url = process.env['URL'] ?? 'ws://127.0.0.1:3000/ws'
const [command, first = '', second = first] = process.argv.slice(2)

if (command === 'upload' && first !== '') await upload(first)
else if (command === 'download' && first !== '') await download(first, second)
else if (command === 'follow') await follow()
else {
  process.stderr.write('Usage: node dist/client.js upload FILE | download NAME [FILE] | follow\n')
  process.exitCode = 1
}

async function upload(file: string): Promise<void> {
  // #region upload
  const stream = await openStream(url, 'upload_file', { name: basename(file) })
  const content = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>
  await content.pipeTo(stream.writable)
  console.log(await stream.done)
  // #endregion
}

async function download(name: string, file: string): Promise<void> {
  const stream = await openStream(url, 'download_file', { name })
  await stream.readable.pipeTo(Writable.toWeb(createWriteStream(file)) as WritableStream<Uint8Array>)
  console.log(await stream.done)
}

async function follow(): Promise<void> {
  // #region follow
  const stream = await openStream<Measurement>(url, 'follow_station', {}, { stream: 'text' })
  for await (const { celsius, at } of stream.readable) console.log(`${at}  ${celsius} °C`)
  // #endregion
}
