import { issueAccess } from './access.js'
import { BenchmarkServer, type Load } from './benchmark-server.js'
import { initializeRequest, type PreparedRequest, prepareRequest, withToken } from './requests.js'
import { comparesSdk, type Scenario } from './scenarios.js'
import type { Settings } from './settings.js'
import { verifyAnswer, verifySame } from './verify.js'

/** A server, and the request that its client sends. */
export interface Subject {
  readonly name: 'toolwright' | 'bare' | 'sdk'
  readonly server: BenchmarkServer
  readonly request: PreparedRequest
}

/** The servers of a scenario, each in a separate process. Their responses were verified to be alike. */
export class Launch {
  static async start(scenario: Scenario): Promise<Launch> {
    const launch = new Launch()
    try {
      await launch.#start(scenario)
    } catch (error) {
      await launch.stop()
      throw error
    }
    return launch
  }

  readonly subjects: Subject[] = []

  /**
   * Servers that are timed alternately. The SDK comes last: for about a second after its load, it collects garbage, which
   * would slow down the next server.
   */
  get groups(): readonly (readonly Subject[])[] {
    const sdk = this.subjects.filter(({ name }) => name === 'sdk')
    const others = this.subjects.filter(({ name }) => name !== 'sdk')
    return sdk.length === 0 ? [others] : [others, sdk]
  }

  /**
   * Warms up alternately, like the rounds: a server that was idle for some seconds takes a sixth more time in the next
   * round.
   */
  async warmUp(group: readonly Subject[], settings: Settings): Promise<void> {
    for (let passed = 0; passed < settings.warmUpSeconds; passed += settings.seconds) {
      for (const subject of group) await this.load(subject, settings)
    }
  }

  load({ server, request }: Subject, { connections, seconds }: Settings): Promise<Load> {
    return server.load(request, connections, seconds)
  }

  async stop(): Promise<void> {
    await Promise.all(this.subjects.map(({ server }) => server.stop()))
  }

  async #start(scenario: Scenario): Promise<void> {
    const { server, request } = await this.#introduce('toolwright', scenario)
    const reply = await server.send(request)
    const config = { answer: reply.text, contentType: reply.headers.get('content-type') }
    const bare = await BenchmarkServer.start('bare', config)
    this.subjects.push({ name: 'bare', server: bare, request })
    verifySame(reply, await bare.send(request))
    if (comparesSdk(scenario)) await this.#introduce('sdk', scenario)
    for (const subject of this.subjects) {
      verifyAnswer(subject.name, await subject.server.send(subject.request), scenario)
    }
  }

  /** Starts a server. Does the handshake if the scenario requires it, so that a server with sessions gets a session id. */
  async #introduce(name: 'toolwright' | 'sdk', scenario: Scenario): Promise<Subject> {
    const { tools, method, era, inSession, hooks, add } = scenario
    const access = scenario.token === 'jwt' ? await issueAccess() : null
    const server =
      scenario.token === 'login'
        ? await BenchmarkServer.start('login', {})
        : await BenchmarkServer.start(name, { tools, hooks, add, jwks: access?.jwks ?? null })
    const token = access?.token ?? server.token
    const session = inSession ? (await server.send(initializeRequest)).headers.get('mcp-session-id') : null
    const request = prepareRequest(method, era, session)
    const subject = { name, server, request: token === null ? request : withToken(request, token) }
    this.subjects.push(subject)
    return subject
  }
}
