import { BenchmarkServer, type Load } from './benchmark-server.js'
import { median } from './median.js'
import { initializeRequest, type PreparedRequest, prepareRequest } from './requests.js'
import type { Scenario } from './scenarios.js'
import type { Settings } from './settings.js'
import { verifyAnswer, verifySame } from './verify.js'

/** What one server did in one row. */
export interface ServerFigures {
  readonly requestsPerSecond: number
  /** Throughput as a share of the bare route's in the same round: the middle, the lowest and the highest round. */
  readonly ratio: readonly [middle: number, lowest: number, highest: number]
  readonly cpuMicros: number
  readonly busy: number
}

export interface Comparison {
  readonly title: string
  readonly toolwright: ServerFigures
  readonly bare: ServerFigures
  readonly sdk: ServerFigures
}

/** A server, and the request that a client of it would send. */
interface Subject {
  readonly server: BenchmarkServer
  readonly request: PreparedRequest
  readonly rounds: Load[]
}

type Progress = (text: string) => void

/** Times Toolwright, the bare route and the official SDK in turn, so that whatever slows the machine slows all three. */
export async function compare(scenario: Scenario, settings: Settings, progress: Progress): Promise<Comparison> {
  const servers: BenchmarkServer[] = []
  const start = async (name: 'toolwright' | 'bare' | 'sdk', config: object): Promise<BenchmarkServer> => {
    const server = await BenchmarkServer.start(name, config)
    servers.push(server)
    return server
  }
  try {
    const toolwright = await introduce(await start('toolwright', { tools: scenario.tools }), scenario)
    const reply = await toolwright.server.send(toolwright.request)
    const config = { answer: reply.text, contentType: reply.headers.get('content-type') }
    const bare = { server: await start('bare', config), request: toolwright.request, rounds: [] }
    verifySame(reply, await bare.server.send(bare.request))
    const sdk = await introduce(await start('sdk', { tools: scenario.tools }), scenario)
    const subjects = [toolwright, bare, sdk]
    for (const { server, request } of subjects) verifyAnswer(server.name, await server.send(request), scenario)
    await timeInTurn(subjects, settings, progress)
    return {
      title: scenario.title,
      toolwright: summarise(toolwright, bare),
      bare: summarise(bare, bare),
      sdk: summarise(sdk, bare),
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

/** Does the handshake where the scenario wants one: a server that has sessions then sees its client name one. */
async function introduce(server: BenchmarkServer, { method, era, inSession }: Scenario): Promise<Subject> {
  const session = inSession ? (await server.send(initializeRequest)).headers.get('mcp-session-id') : null
  return { server, request: prepareRequest(method, era, session), rounds: [] }
}

async function timeInTurn(subjects: readonly Subject[], settings: Settings, progress: Progress): Promise<void> {
  const { rounds, seconds, warmUpSeconds, connections } = settings
  for (const { server, request } of subjects) {
    progress(`warming up ${server.name}`)
    await server.load(request, connections, warmUpSeconds)
  }
  for (let round = 1; round <= rounds; round++) {
    for (const subject of subjects) {
      progress(`round ${round} of ${rounds}: ${subject.server.name}`)
      subject.rounds.push(await subject.server.load(subject.request, connections, seconds))
    }
  }
}

function summarise({ rounds }: Subject, bare: Subject): ServerFigures {
  const ratios = rounds.map((load, round) => load.requestsPerSecond / (bare.rounds[round]?.requestsPerSecond ?? NaN))
  return {
    requestsPerSecond: median(rounds.map((load) => load.requestsPerSecond)),
    ratio: [median(ratios), Math.min(...ratios), Math.max(...ratios)],
    cpuMicros: median(rounds.map((load) => load.cpuMicros)),
    busy: median(rounds.map((load) => load.busy)),
  }
}
