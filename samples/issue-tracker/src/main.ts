import { userInfo } from 'node:os'
import { join } from 'node:path'
import { container, type HostOptions, serve, serveStdio } from 'toolwright'
import { createAuthentication } from './access/authentication.js'
import { config } from './config.js'
import { createDataFolder } from './data-folder.js'
import { issuesToken } from './issues/issues.js'
import { openIssues } from './issues/open-issues.js'

const issues = await openIssues(
  config.DATABASE ?? join(createDataFolder(), 'issues.db'),
)
container.registerInstance(issuesToken, issues)

const options = {
  name: 'issue-tracker',
  version: '1.0.0',
  title: 'Issue tracker',
  instructions:
    'Lists, creates and changes issues. List the issues first: most tools need the id of an issue.',
  scan: ['./tools/', './resources/', './prompts/'].map(
    (folder) => new URL(folder, import.meta.url),
  ),
  onClose: () => issues.close(),
} satisfies HostOptions

if (process.argv.includes('--stdio')) {
  // Only the user who started the program can reach it, so no token is needed.
  await serveStdio(options, {
    principal: { subject: userInfo().username, roles: ['admin'] },
  })
} else {
  await serve({ ...options, authentication: await createAuthentication() })
}
