'use strict'

const { officialSchema } = require('./official-schema.cjs')

const modern = '2026-07-28'
const metaVersion = 'io.modelcontextprotocol/protocolVersion'

/** Maximum numbers of characters of a fault, and of faults of a test, that are shown. */
const maxFault = 400
const maxErrors = 10

/** Validates messages of clients and servers against the official schema of their revision. */
class Judge {
  #errors = []
  /** Number of validated frames, to detect a judge that gets none. */
  judged = 0
  /** Set by the current test: its requests are invalid on purpose, and served nevertheless. */
  requestsAreHostile = false

  /**
   * Set by the current test: validates one of this many exchanges or notifications, if there are too many of the same
   * kind.
   */
  oneOf = 1
  #seen = 0

  /** Called after each test. */
  reset() {
    this.requestsAreHostile = false
    this.oneOf = 1
  }

  /** Validates a request (or a batch) and its response, as they were sent. `version` is the revision of a legacy request. */
  exchanged(version, request, answer) {
    if (this.#seen++ % this.oneOf > 0) return
    const responses = [JSON.parse(answer)].flat()
    for (const one of [JSON.parse(request)].flat()) {
      const response = responses.find(({ id }) => id === undefined || id === one?.id)
      const claimed = one?.params?._meta?.[metaVersion]
      if (response !== undefined) this.#judgeExchange(isServed(claimed) ? claimed : version, one, response)
    }
  }

  /** Validates a request or notification of the server. */
  sent(version, json) {
    if (json === '' || this.#seen++ % this.oneOf > 0) return
    const message = JSON.parse(json)
    // The response to a part of a batch, or to a call that outlived its connection, was validated with its request.
    if (message.method === undefined) return
    const kind = message.id === undefined ? 'JSONRPCNotification' : 'JSONRPCRequest'
    const schema = officialSchema(version)
    this.#judge(version, message.method, kind, message)
    const definition = schema.definitionOf.get(message.method)
    if (definition !== undefined) this.#judge(version, message.method, definition, message)
  }

  /** Returns the faults since the last call. */
  takeFaults() {
    return this.#errors.splice(0)
  }

  #judgeExchange(claimed, request, response) {
    if (response.error !== undefined) {
      this.#judgeError(claimed, request?.method, response)
      return
    }
    const { method } = request
    // The negotiated version is only known from the response.
    const version = method === 'initialize' ? response.result.protocolVersion : claimed
    this.#judgeResult(version, method, response)
    if (this.requestsAreHostile) return
    this.#judge(version, method, 'JSONRPCRequest', request)
    const definition = officialSchema(version).definitionOf.get(method)
    if (definition !== undefined) this.#judge(version, method, definition, request)
  }

  #judgeError(claimed, method, response) {
    // A request without a served revision gets the newest one.
    const version = response.id === undefined || !isServed(claimed) ? modern : claimed
    const kind = officialSchema(version).has('JSONRPCErrorResponse') ? 'JSONRPCErrorResponse' : 'JSONRPCError'
    this.#judge(version, `An error for ${JSON.stringify(method)}`, kind, response)
  }

  #judgeResult(version, method, response) {
    const schema = officialSchema(version)
    const kind = schema.has('JSONRPCResultResponse') ? 'JSONRPCResultResponse' : 'JSONRPCResponse'
    this.#judge(version, method, kind, response)
    // A method of an extension, which the core schema does not contain.
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
      this.#errors.push(`${method} of ${version} does not match ${definition}: ${fault.slice(0, maxFault)}\n  ${shown}`)
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
