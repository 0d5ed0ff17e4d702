import { principalKey } from '@toolwright/core'

function keyOf(subject: string, claims: Record<string, unknown>): string | null {
  return principalKey({ subject, roles: [], scopes: [], claims })
}

it('the key is the same for every token of one subject, client and issuer', () => {
  const key = keyOf('ada', { iss: 'https://a.example', client_id: 'desktop', exp: 1, scope: 'read' })

  expect(keyOf('ada', { iss: 'https://a.example', azp: 'desktop', exp: 2, scope: 'write' })).toBe(key)
  expect(principalKey(null)).toBeNull()
})

it('the key differs for every other issuer, subject or client, also with similar strings', () => {
  const keys = [
    keyOf('ada', {}),
    keyOf('ada', { iss: 'a' }),
    keyOf('ada', { iss: 'b' }),
    keyOf('ada', { client_id: 'a' }),
    keyOf('ada', { iss: 'a', client_id: 'a' }),
    keyOf('bob', { iss: 'a', client_id: 'a' }),
    keyOf('ada","a', { iss: 'a' }),
    keyOf('ada', { iss: 'a","ada' }),
    keyOf('', {}),
  ]

  expect(new Set(keys).size).toBe(keys.length)
})

it('an issuer or client that is not a string is ignored', () => {
  expect(keyOf('ada', { iss: { toString: () => 'a' }, client_id: ['a'] })).toBe(keyOf('ada', {}))
})
