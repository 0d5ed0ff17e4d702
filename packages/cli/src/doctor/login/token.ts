import type { Schema } from '../../client/schema-types.js'
import { type Finding, fail, ok, warn } from '../finding.js'
import { describeAnswer, NoAnswer, type Requests, shown } from './requests.js'

/** Sends a code that does not exist: the error shows whether clients understand the endpoint. */
export async function checkToken(requests: Requests, metadata: Schema): Promise<readonly Finding[]> {
  const endpoint = metadata['token_endpoint']
  if (typeof endpoint !== 'string' || !URL.canParse(endpoint)) {
    return [fail('token', `token_endpoint is ${shown(endpoint)}`, 'Give an https: URL.')]
  }
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: 'code-of-toolwright-doctor',
    code_verifier: 'v'.repeat(43),
    client_id: 'unknown-client-of-toolwright-doctor',
    redirect_uri: 'http://127.0.0.1/callback',
  }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
  try {
    const answer = await requests.send(new URL(endpoint), { method: 'POST', headers, body })
    const error = answer.json?.['error']
    if (typeof error !== 'string') {
      const text = `an error of the token endpoint ${describeAnswer(answer)}, instead of JSON with error`
      return [fail('token', text, 'Answer `{ "error": "invalid_client" }` as JSON.')]
    }
    if (answer.status < 400) {
      const fix = 'Answer errors with status 400 or 401. For GitHub, put @toolwright/login in front.'
      return [fail('token', `the token endpoint answers the error ${shown(error)} with status ${answer.status}`, fix)]
    }
    if (answer.status === 401 && error === 'invalid_client')
      return [ok('token', 'unknown clients are told to register again')]
    const text = `an unknown client gets ${answer.status} ${shown(error)}: clients register again only after 401 invalid_client`
    return [warn('token', text, 'Answer 401 and invalid_client, or keep registrations for ever.')]
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    return [fail('token', error.message, 'Serve the endpoint, at a URL that clients reach.')]
  }
}
