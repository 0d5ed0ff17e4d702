import { isPlainUri, normalUri, withReserved } from '../../../src/catalog/normal-uri.js'
import { UriTemplate } from '../../../src/catalog/uri-template.js'

describe('the normal spelling of a URI', () => {
  it.each([
    ['notes://secret', 'notes://secret'],
    ['notes://%73ecre%74', 'notes://secret'],
    ['notes://%5f%2D%2e%7E', 'notes://_-.~'],
    ['notes://a%2fb%3a', 'notes://a%2Fb%3A'],
    ['notes://a b|é😀', 'notes://a%20b%7C%C3%A9%F0%9F%98%80'],
    ['notes://caf%c3%a9', 'notes://caf%C3%A9'],
    // A percent sign stays unchanged: nothing is decoded twice or joined.
    ['notes://%2561', 'notes://%2561'],
    ['notes://100%', 'notes://100%'],
    ['notes://%zz', 'notes://%zz'],
    ['notes://%%36%31', 'notes://%%36%31'],
    ['notes://%6%31', 'notes://%6%31'],
    ['notes://%/%61', 'notes://%/a'],
    ['notes://\ud800', 'notes://\ud800'],
  ])('of %j is %j', (uri, normal) => {
    expect(normalUri(uri)).toBe(normal)
    expect(normalUri(normal)).toBe(normal)
  })

  it.each([
    ['notes://a%2Fb%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%3A', "notes://a/b?#[]@!$&'()*+,;=:"],
    ['notes://%252F%20%25', 'notes://%252F%20%25'],
  ])('of %j, with reserved characters decoded, is %j', (uri, decoded) => {
    expect(withReserved(uri)).toBe(decoded)
  })

  it('is recognized in a URI that has no escapes and needs none', () => {
    expect(isPlainUri("ui://a.b/c-d_e~?f=1&g=(h)#[i]@!$'*+,;:")).toBe(true)
    for (const uri of ['a:%61', 'a: ', 'a:é', 'a:|']) expect(isPlainUri(uri)).toBe(false)
  })

  it('is computed in linear time', () => {
    const [started, size] = [performance.now(), 80_000]
    for (const text of ['%', '%6', '%61', '%2f', '%%61', ' ', 'é']) withReserved(normalUri(text.repeat(size)))
    expect(performance.now() - started).toBeLessThan(5000)
  })

  it('applies to the literals of a template, too', () => {
    expect(new UriTemplate('notes://%61 b/{id}').match(normalUri('notes://a%20%62/%31'))).toEqual({ id: '1' })
  })
})
