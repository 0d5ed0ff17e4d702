import { BenchmarkServer, type Load } from './benchmark-server.js'
import { initializeRequest, type PreparedRequest, prepareRequest } from './requests.js'
import type { Scenario } from './scenarios.js'
import type { Settings } from './settings.js'
import { verifyAnswer, verifySame } from './verify.js'

export const serverNames = ['toolwright', 'bare', 'sdk'] as const

/** A server, and the request that a client of it would send. */
export interface Subject {
  readonly name: (typeof serverNames)[number]
  readonly server: BenchmarkServer
  readonly request: PreparedRequest
}

/** The three servers of a scenario, each in a process of its own, checked to answer alike. */
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

  async warmUp({ connections, warmUpSeconds }: Settings): Promise<void> {
    for (const { server, request } of this.subjects) await server.load(request, connections, warmUpSeconds)
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
    await this.#introduce('sdk', scenario)
    for (const subject of this.subjects) {
      verifyAnswer(subject.name, await subject.server.send(subject.request), scenario)
    }
  }

  /** Does the handshake where the scenario wants one: a server that has sessions then sees its client name one. */
  async #introduce(name: 'toolwright' | 'sdk', { tools, method, era, inSession }: Scenario): Promise<Subject> {
    const server = await BenchmarkServer.start(name, { tools })
    const session = inSession ? (await server.send(initializeRequest)).headers.get('mcp-session-id') : null
    const subject = { name, server, request: prepareRequest(method, era, session) }
    this.subjects.push(subject)
    return subject
  }
}
