import { principalKey } from '@toolwright/core'

function keyOf(subject: string, claims: Record<string, unknown>): string | null {
  return principalKey({ subject, roles: [], scopes: [], claims })
}

it('is the same for every token of one subject with one client of one issuer', () => {
  const key = keyOf('ada', { iss: 'https://a.example', client_id: 'desktop', exp: 1, scope: 'read' })

  expect(keyOf('ada', { iss: 'https://a.example', azp: 'desktop', exp: 2, scope: 'write' })).toBe(key)
  expect(principalKey(null)).toBeNull()
})

it('is another one for every other issuer, subject or client, however they are written', () => {
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

it('takes nothing for an issuer or a client that is not a string', () => {
  expect(keyOf('ada', { iss: { toString: () => 'a' }, client_id: ['a'] })).toBe(keyOf('ada', {}))
})
