import { removeProjects, runProject } from '../support/run-project.js'

afterEach(removeProjects)

async function readPage(url: URL): Promise<string> {
  return (await fetch(url, { headers: { accept: 'text/html' } })).text()
}

it.each([
  { serves: 'serves', args: [], isLinked: true },
  { serves: 'does not serve', args: ['--no-inspector'], isLinked: false },
])('the landing page has a link to the inspector if toolwright dev $serves it', async ({ args, isLinked }) => {
  const { dev } = runProject({}, { args: ['--no-types', ...args] })
  const url = await dev.url()
  expect((await readPage(url)).includes('<a class="open" href="/inspector">Open the inspector</a>')).toBe(isLinked)
  expect((await fetch(new URL('/inspector', url))).status).toBe(isLinked ? 200 : 404)
})
