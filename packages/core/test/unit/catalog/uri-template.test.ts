import { processorMs } from '../../../../../test/support/processor-time.js'
import { TemplateError, UriTemplate } from '../../../src/catalog/uri-template.js'

describe('a URI template', () => {
  it.each([
    ['users://{id}/profile', 'users://42/profile', { id: '42' }],
    ['users://{id}', 'users://a%20b', { id: 'a b' }],
    ['users://{id}', 'users://a/b', null],
    ['users://{id}', 'users://', null],
    ['users://{id}', 'users://%zz', null],
    ['users://{id}/x', 'users://1/y', null],
    ['file:///docs/{name}', 'file:///docs/..', null],
    ['file:///docs/{name}', 'file:///docs/%2e%2E', null],
    ['file:///docs/{name}', 'file:///docs/..%2Fsecret', null],
    ['file:///docs/{name}', 'file:///docs/a%2Fb', null],
    ['file:///docs/{name}', 'file:///docs/a%5Cb', null],
    ['file:///docs/{name}', 'file:///docs/a\\b', null],
    ['file:///docs/{name}', 'file:///docs/a%00.txt', null],
    ['file:///docs{/name}', 'file:///docs/%2E%2E', null],
    ['file:///docs/{name}', 'file:///docs/..%20b', { name: '.. b' }],
    ['file:///docs/{+path}', 'file:///docs/..%2Fb', null],
    ['file:///docs/{+path}', 'file:///docs/a/./b', null],
    ['file:///docs/{+path}', 'file:///docs/a%5C..', null],
    ['file:///docs/{#part}', 'file:///docs/#../b', null],
    ['file:///docs/{+path}', 'file:///docs/..b/.c/d..', { path: '..b/.c/d..' }],
    ['range://{from}-{to}', 'range://1-2-3', { from: '1', to: '2-3' }],
    ['file:///{+path}', 'file:///a/b.txt', { path: 'a/b.txt' }],
    ['file:///{+path}.json', 'file:///a.json/b.json', { path: 'a.json/b' }],
    ['doc://page{#section}', 'doc://page#intro', { section: 'intro' }],
    ['file:///{name}{.ext}', 'file:///notes.md', { name: 'notes', ext: 'md' }],
    ['tree://{root}{/leaf}', 'tree://a/b', { root: 'a', leaf: 'b' }],
    ['search://all{?q,page}', 'search://all?page=2&q=x%26y', { q: 'x&y', page: '2' }],
    ['search://all{?q,page}', 'search://all', {}],
    ['search://all{?q}', 'search://all?other=1', null],
    ['users://{id}{?full}', 'users://7?full=yes', { id: '7', full: 'yes' }],
    ['users://{id}{?full}', 'users://7', { id: '7' }],
  ])('%s matches %s', (template, uri, variables) => {
    expect(new UriTemplate(template).match(uri)).toEqual(variables)
  })

  it.each([
    ['users/{id}', 'has no scheme. Begin the template with a scheme, such as notes://'],
    ['users://{id', 'has an unmatched brace. Write a variable as {name}'],
    ['users://{id*}', 'has the expression {id*}, which is not supported. Use one of {name}, {+name}, {?name}'],
    ['users://{;id}', 'has the expression {;id}, which is not supported. Use one of {name}, {+name}, {?name}'],
    ['users://{a,b}', 'has the expression {a,b}, which is not supported. Use one of {name}, {+name}, {?name}'],
    ['users://{}', 'has the expression {}, which is not supported. Use one of {name}, {+name}, {?name}'],
    ['users://{id}/{id}', 'has the variable {id} twice. Rename one'],
    ['users://{a}{b}', 'has {a} and {b} side by side. Put text between them'],
    ['users://all{?q}/more', 'has something after its query. Put the query last'],
  ])('%s is rejected', (template, message) => {
    expect(() => new UriTemplate(template)).toThrow(new TemplateError(message))
  })

  const filler = ['-', 'a', '%41', '/', '-end', '?q=', '&q=', '{a}']
  const templates = [
    'x://{a}',
    'x://a{/b}{.c}',
    'x://a{#b}',
    'x://a{?b}',
    'x://{a}-{b}-{c}-end',
    'x://{+a}-{+b}-{+c}-end',
    'x://{a}-{+b}{?q,r}',
  ]

  it.each(templates)('%s is matched with any string of 100 kB within milliseconds', async (written) => {
    const template = new UriTemplate(written)
    for (const piece of filler) {
      const uri = `x://${piece.repeat(100_000 / piece.length)}`
      // oxlint-disable-next-line no-await-in-loop
      expect(await processorMs(() => template.match(uri))).toBeLessThan(50)
    }
  })

  it('does not match URIs of more than 256 KiB', () => {
    const template = new UriTemplate('x://{a}')
    const longest = 'a'.repeat(256 * 1024 - 4)
    expect(template.match(`x://${longest}`)).toEqual({ a: longest })
    expect(template.match(`x://${longest}a`)).toBeNull()
  })
})
