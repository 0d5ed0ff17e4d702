import {
  type CompletionRequest,
  McpCompletion,
  McpPrompt,
  type Static,
  Type,
} from 'toolwright'
import { findTimeZones } from '../time-zones.js'

const MeetingInput = Type.Object({
  here: Type.String({ description: 'Your time zone' }),
  there: Type.String({ description: 'Time zone of the other participants' }),
})

export class MeetingPrompts {
  @McpPrompt({
    title: 'Plan a meeting',
    description: 'Finds times that suit two time zones',
    input: MeetingInput,
  })
  planMeeting({ here, there }: Static<typeof MeetingInput>): string {
    return (
      `Suggest three times in the next days for a meeting between people in ${here} and in ${there}. ` +
      'Choose times between 9:00 and 17:00 on working days in both places, and give each in both time zones.'
    )
  }

  @McpCompletion({ prompt: 'plan_meeting', argument: 'here' })
  @McpCompletion({ prompt: 'plan_meeting', argument: 'there' })
  completeTimeZone({ value }: CompletionRequest): readonly string[] {
    return findTimeZones(value)
  }
}
