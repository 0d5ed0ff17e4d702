// A real nginx with the configuration of samples/deploy, with other addresses only.
import { spawn, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const { NGINX = 'nginx' } = process.env
const configuration = new URL('../../../samples/deploy/nginx.conf', import.meta.url)

/** Since this version, nginx resolves names of containers again. */
const oldest = [1, 27, 3]

/** @returns The version, or the reason why there is no suitable one. */
export function findNginx() {
  const { error, stderr } = spawnSync(NGINX, ['-v'], { encoding: 'utf8' })
  if (error !== undefined) return { missing: `there is no ${NGINX}: put nginx ${oldest.join('.')} or newer into NGINX` }
  const [, version = '0'] = /nginx\/(\S+)/.exec(stderr) ?? []
  const found = version.split('.').map(Number)
  const isOlder = found.reduce((order, part, index) => order || part - oldest[index], 0) < 0
  return isOlder ? { missing: `nginx ${version} is older than ${oldest.join('.')}` } : { version }
}

/** nginx on a free port, in front of the addresses that `dns` returns for `orders`. */
export async function startNginx({ dns, upstreamPort }) {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'))
  const port = await freePort()
  const replaced = [
    ['listen 8080;', `listen 127.0.0.1:${port};`],
    ['resolver 127.0.0.11 valid=5s;', `resolver 127.0.0.1:${dns.port} valid=1s ipv6=off;`],
    ['server orders:3000 ', `server orders:${upstreamPort} `],
  ]
  writeFileSync(join(folder, 'site.conf'), replaceAll(readFileSync(configuration, 'utf8'), replaced))
  writeFileSync(join(folder, 'nginx.conf'), frame(folder))
  // nginx itself reads the inherited sockets from a variable of this name.
  const { NGINX: _path, ...env } = process.env
  const options = ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')]
  const child = spawn(NGINX, options, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const ended = once(child, 'exit')
  await Promise.race([untilListening(port), ended.then(() => Promise.reject(new Error(`nginx ended: ${errors}`)))])
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  return { url: new URL(`http://127.0.0.1:${port}/mcp`), stop }
}

function replaceAll(text, pairs) {
  let replaced = text
  for (const [from, to] of pairs) {
    if (!replaced.includes(from)) throw new Error(`samples/deploy/nginx.conf has no '${from}' any more`)
    replaced = replaced.replace(from, to)
  }
  return replaced
}

/** The configuration of the nginx image around a site. */
function frame(folder) {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `daemon off;
master_process off;
pid ${folder}/pid;
events {}
http {
${temporary.map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
  access_log off;
  include ${folder}/site.conf;
}
`
}

async function untilListening(port) {
  while (!(await accepts(port))) await setTimeout(20)
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A name server like that of Docker: every name has the current addresses in `addresses`. */
export async function startNameServer(addresses) {
  const socket = createSocket('udp4')
  const state = { addresses }
  socket.on('message', (query, { port, address }) => socket.send(answerOf(query, state.addresses), port, address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return Object.assign(state, { port: socket.address().port, stop: () => socket.close() })
}

/** RFC 1035, section 4.1: the question, and an A record for each address with a TTL of one second. */
function answerOf(query, addresses) {
  const question = query.subarray(12, query.indexOf(0, 12) + 5)
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(addresses.length, 6)
  header.writeUInt32BE(0, 8)
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split('.').map(Number)]),
  )
  return Buffer.concat([header, question, ...records])
}
