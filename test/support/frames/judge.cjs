'use strict'

const { officialSchema } = require('./official-schema.cjs')

const modern = '2026-07-28'
const metaVersion = 'io.modelcontextprotocol/protocolVersion'

/** At most so many characters of what is wrong, and so many faults of a test, are shown. */
const maxFault = 400
const maxErrors = 10

/** Holds what clients and servers send each other against the official schema of their revision. */
class Judge {
  #errors = []
  /** How many frames were judged: a judge that sees nothing finds nothing. */
  judged = 0
  /** For the test that runs: its requests are wrong on purpose, and served all the same. */
  requestsAreHostile = false

  /** For the test that runs: judges one exchange or notification of so many, where they are too many and all alike. */
  oneOf = 1
  #seen = 0

  /** After each test. */
  reset() {
    this.requestsAreHostile = false
    this.oneOf = 1
  }

  /** A request (or a batch) and the answer to it, as they were sent. `version` is of legacy requests. */
  exchanged(version, request, answer) {
    if (this.#seen++ % this.oneOf > 0) return
    const responses = [JSON.parse(answer)].flat()
    for (const one of [JSON.parse(request)].flat()) {
      const response = responses.find(({ id }) => id === undefined || id === one?.id)
      const claimed = one?.params?._meta?.[metaVersion]
      if (response !== undefined) this.#judgeExchange(isServed(claimed) ? claimed : version, one, response)
    }
  }

  /** A request or notification of the server's. */
  sent(version, json) {
    if (json === '' || this.#seen++ % this.oneOf > 0) return
    const message = JSON.parse(json)
    // The answer of a batch's part, or of a call that outlived its connection, was judged with its request.
    if (message.method === undefined) return
    const kind = message.id === undefined ? 'JSONRPCNotification' : 'JSONRPCRequest'
    const schema = officialSchema(version)
    this.#judge(version, message.method, kind, message)
    const definition = schema.definitionOf.get(message.method)
    if (definition !== undefined) this.#judge(version, message.method, definition, message)
  }

  /** What was wrong since the last time. */
  takeFaults() {
    return this.#errors.splice(0)
  }

  #judgeExchange(claimed, request, response) {
    if (response.error !== undefined) {
      this.#judgeError(claimed, request?.method, response)
      return
    }
    const { method } = request
    // What is negotiated is only known from the answer.
    const version = method === 'initialize' ? response.result.protocolVersion : claimed
    this.#judgeResult(version, method, response)
    if (this.requestsAreHostile) return
    this.#judge(version, method, 'JSONRPCRequest', request)
    const definition = officialSchema(version).definitionOf.get(method)
    if (definition !== undefined) this.#judge(version, method, definition, request)
  }

  #judgeError(claimed, method, response) {
    // Who names no revision that is served is answered in the newest.
    const version = response.id === undefined || !isServed(claimed) ? modern : claimed
    const kind = officialSchema(version).has('JSONRPCErrorResponse') ? 'JSONRPCErrorResponse' : 'JSONRPCError'
    this.#judge(version, `An error for ${JSON.stringify(method)}`, kind, response)
  }

  #judgeResult(version, method, response) {
    const schema = officialSchema(version)
    const kind = schema.has('JSONRPCResultResponse') ? 'JSONRPCResultResponse' : 'JSONRPCResponse'
    this.#judge(version, method, kind, response)
    // Of an extension, which the core schema does not know.
    if (response.result.resultType === 'task') return
    const whole = schema.definitionOf.get(method)?.replace(/Request$/, 'ResultResponse')
    if (whole === undefined) return
    if (schema.has(whole)) this.#judge(version, method, whole, response)
    else this.#judge(version, method, resultOf(schema, whole), response.result)
  }

  #judge(version, method, definition, value) {
    this.judged++
    for (const fault of officialSchema(version).errorsOf(definition, value)) {
      if (this.#errors.length === maxErrors) return
      const shown = JSON.stringify(value).slice(0, maxFault)
      this.#errors.push(`${method} of ${version} is no ${definition}: ${fault.slice(0, maxFault)}\n  ${shown}`)
    }
  }
}

function resultOf(schema, whole) {
  const name = whole.replace(/Response$/, '')
  return schema.has(name) ? name : 'EmptyResult'
}

function isServed(version) {
  return typeof version === 'string' && /^20(24-11-05|25-03-26|25-06-18|25-11-25|26-07-28)$/.test(version)
}

module.exports = { Judge }
