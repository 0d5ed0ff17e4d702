import { userInfo } from 'node:os'
import { apiKeys, container, serve } from 'toolwright'
import { config } from './config.js'
import { ExpenseFile } from './expenses/expense-file.js'

container.registerInstance(
  ExpenseFile,
  await ExpenseFile.open(config.EXPENSES_FILE),
)

// Without any key, callers over HTTP can only count the expenses.
const keys = [
  { key: config.READER_KEY, subject: 'reader', roles: ['reader'] },
  { key: config.WRITER_KEY, subject: 'writer', roles: ['writer'] },
].flatMap(({ key, ...owner }) => (key === undefined ? [] : [{ key, ...owner }]))

await serve({
  name: 'expenses',
  version: '1.0.0',
  instructions:
    'Records expenses in euros. List the expenses before you remove one: you need its id.',
  scan: new URL('./tools/', import.meta.url),
  ...(keys.length === 0 ? {} : { authentication: apiKeys({ keys }) }),
  // Over stdio, only the user who started the program can reach it, so no key
  // is needed.
  stdio: { principal: { subject: userInfo().username, roles: ['writer'] } },
})
