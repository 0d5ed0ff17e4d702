import {
  type CompletionRequest,
  injectable,
  McpCompletion,
  McpResource,
  type ResourceContents,
  type Static,
  Type,
} from 'toolwright'
import { type Exhibit, Museum } from '../museum.js'

const ticket = Buffer.from('Admit one\n')
const ExhibitNumber = Type.Object({ number: Type.Integer({ minimum: 1 }) })

/**
 * Resources with fixed URIs, with text or bytes, and two resource templates.
 */
@injectable()
export class MuseumResources {
  constructor(private readonly museum: Museum) {}

  @McpResource('museum://opening-hours', {
    title: 'Opening hours',
    annotations: { audience: ['user'], priority: 0.8 },
  })
  openingHours(): string {
    return 'Tuesday to Sunday, 10 to 18'
  }

  @McpResource('museum://ticket', {
    title: 'Ticket',
    mimeType: 'application/x-ticket',
    size: ticket.length,
  })
  ticket(): Uint8Array {
    return ticket
  }

  @McpResource('museum://exhibits/{number}', {
    title: 'Exhibit',
    input: ExhibitNumber,
  })
  exhibit({ number }: Static<typeof ExhibitNumber>): Exhibit | undefined {
    return this.museum.exhibit(number)
  }

  @McpResource('museum://rooms/{room}/visitors{?language}', {
    title: 'Visitors of a room',
  })
  visitors({
    room,
    language,
  }: {
    room: string
    language?: string
  }): string | undefined {
    const visitors = this.museum.visitorsIn(room)
    if (visitors === undefined) return undefined
    return language === 'de' ? `${visitors} Besucher` : `${visitors} visitors`
  }

  @McpResource('museum://tour', { title: 'A tour: all exhibits in one go' })
  tour(): ResourceContents[] {
    return this.museum.numbers.map((number) => ({
      uri: `museum://exhibits/${number}`,
      mimeType: 'application/json',
      text: JSON.stringify(this.museum.exhibit(number)),
    }))
  }

  @McpCompletion({ resource: 'museum://exhibits/{number}', argument: 'number' })
  completeNumber({ value }: CompletionRequest): string[] {
    return this.museum.numbers
      .map(String)
      .filter((number) => number.startsWith(value))
  }
}
