// #region schema
import {
  InvalidParamsError,
  McpTool,
  Model,
  type Static,
  Type,
} from 'toolwright'

const ForecastInput = Type.Object(
  {
    city: Type.String({ minLength: 1, description: 'City, such as Lisbon' }),
    days: Type.Integer({
      minimum: 1,
      maximum: 7,
      default: 3,
      description: 'Days ahead',
    }),
  },
  { additionalProperties: false },
)

export class ForecastTools {
  @McpTool({
    description: 'Forecasts the weather of a city',
    input: ForecastInput,
  })
  forecast({ city, days }: Static<typeof ForecastInput>): string {
    return `${city}, the next ${days} days: sun`
  }
}
// #endregion

// #region types
const JourneyInput = Type.Object({
  comfort: Type.Enum(['first', 'second']),
  leaveOn: Type.Optional(Type.String({ format: 'date' })),
  travellers: Type.Array(
    Type.Object({ name: Type.String(), age: Type.Integer() }),
    { minItems: 1, maxItems: 9 },
  ),
  seat: Type.Union([Type.Integer(), Type.Null()]),
  luggage: Type.Record(Type.String(), Type.Integer()),
})

export class JourneyTools {
  @McpTool({ description: 'Books a journey', input: JourneyInput })
  bookJourney({
    comfort,
    leaveOn,
    travellers,
  }: Static<typeof JourneyInput>): string {
    return `${travellers.length} in ${comfort} class, ${leaveOn ?? 'today'}`
  }
}
// #endregion

// #region alternatives
const PlaceInput = Type.Union([
  Type.Object({ city: Type.String() }, { additionalProperties: false }),
  Type.Object(
    { latitude: Type.Number(), longitude: Type.Number() },
    { additionalProperties: false },
  ),
])

export class PlaceTools {
  @McpTool({
    description:
      'Finds the nearest harbour of a city, or of a place on the map',
    input: PlaceInput,
  })
  findHarbour(place: Static<typeof PlaceInput>): string {
    return 'city' in place
      ? `Port of ${place.city}`
      : `Port at ${place.latitude}, ${place.longitude}`
  }
}
// #endregion

// #region model
class Trip extends Model(
  Type.Object({
    from: Type.String(),
    to: Type.String(),
    by: Type.Enum(['train', 'ship']),
  }),
) {}

export class TripTools {
  @McpTool({ description: 'Plans a trip' })
  planTrip({ from, to, by }: Trip): string {
    return `${from} to ${to} by ${by}`
  }
}
// #endregion

interface Booking {
  readonly guests: number
  readonly phone?: string
  readonly email?: string
}

export class BookingTools {
  // #region raw
  @McpTool({
    description: 'Books a table',
    inputSchema: {
      type: 'object',
      properties: {
        guests: { type: 'integer', minimum: 1 },
        phone: { type: 'string' },
        email: { type: 'string', format: 'email' },
      },
      required: ['guests'],
      anyOf: [{ required: ['phone'] }, { required: ['email'] }],
    },
  })
  bookTable({ guests, phone, email }: Booking): string {
    return `A table for ${guests}; confirmed to ${email ?? phone}`
  }
  // #endregion
}

const RangeInput = Type.Object({ from: Type.Integer(), to: Type.Integer() })

export class StockTools {
  // #region invalid-params
  @McpTool({ description: 'Lists a range of shelves', input: RangeInput })
  listShelves({ from, to }: Static<typeof RangeInput>): string {
    if (to < from) throw new InvalidParamsError('"to" must not be below "from"')
    return `shelves ${from} to ${to}`
  }
  // #endregion
}
