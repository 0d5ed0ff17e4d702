import { loadConfig } from 'toolwright'
import { z } from 'zod'

/** Settings that differ between deployments. `serve` reads `HOST` and `PORT`. */
export const config = loadConfig(
  z.object({
    ROOMS: z
      .array(z.string())
      .default(['Ada', 'Grace', 'Katherine'])
      .describe('names of the rooms, separated by commas'),
    MAX_DAYS_AHEAD: z
      .number()
      .int()
      .positive()
      .default(365)
      .describe('latest day of a booking, in days from today'),
  }),
)
