// A client of the sample `authorization`: `node dist/client.js` lists the
// users, `node dist/client.js NAME` creates one. URL changes the address.
import { connect, ToolCallError } from '@toolwright/client'
import type { SettingsTools } from '../../authorization/src/tools/settings-tools.js'
import type { UserTools } from '../../authorization/src/tools/user-tools.js'
import { TokenSource } from './token-source.js'

const url = process.env['URL'] ?? 'http://127.0.0.1:3000/mcp'
const [name] = process.argv.slice(2)

const tokens = new TokenSource()
await using client = await connect(url, {
  credentials: (reason) => tokens.get(reason),
})
const users = client.tools<UserTools>()
const settings = client.tools<SettingsTools>()

console.log(await settings.getPublicInfo())
if (name !== undefined) await createUser(name)
const list = await users.getUserList()
for (const user of list.users)
  console.log(`${user.name.padEnd(8)}  ${user.role}`)

async function createUser(user: string): Promise<void> {
  try {
    console.log(await users.createUser({ name: user, role: 'User' }))
  } catch (error) {
    // The server explains what the caller can do.
    if (!(error instanceof ToolCallError)) throw error
    console.log(error.message)
  }
}
