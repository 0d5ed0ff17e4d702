import { packageName } from '../../src/package-name.js'
import { quote } from '../../src/quote.js'

it.each([
  ['My first server', 'my-first-server'],
  ['été', 'ete'],
  ['Ünï Server!', 'uni-server'],
  ['words-', 'words'],
  ['日本', 'server'],
  ['node_modules', 'server'],
  ['x'.repeat(220), 'x'.repeat(214)],
])('gives the project in the folder %s the name %s, which npm accepts', (folder, name) => {
  expect(packageName(`/home/you/${folder}`)).toBe(name)
})

it.each([
  ['my server', "'my server'"],
  ["ada's & $HOME", "'ada'\\''s & $HOME'"],
  ['-words', './-words'],
  ['@me/wörter-2.0', '@me/wörter-2.0'],
])('quotes %s so that a shell reads one folder', (name, quoted) => {
  expect(quote(name)).toBe(quoted)
})

it('quotes a folder for the shells of Windows', () => {
  const { platform } = process
  Object.defineProperty(process, 'platform', { value: 'win32' })
  try {
    expect(quote('my server')).toBe('"my server"')
  } finally {
    Object.defineProperty(process, 'platform', { value: platform })
  }
})
