/**
 * The built server with a travel agency, for screenshots: a slow tool, and an agent that asks a question. Run as a
 * process of its own, so that it can be killed.
 */
/** The build, named at run time: types are checked without one too. @type {typeof import('../../src/index.js')} */
const { AgentTool, AgentType, serve } = (await import(new URL('../../dist/src/index.js', import.meta.url).href))
  .default;

const SEARCH_MS = 2500;

/** What the agent asks before it books. */
const BOOKING = {
  type: 'object',
  title: 'Booking',
  properties: {
    seat: { type: 'string', title: 'Seat', enum: ['Window', 'Aisle', 'Either'] },
    bags: { type: 'integer', title: 'Bags', minimum: 0, maximum: 3, default: 1 },
    departure: { type: 'string', title: 'Departure', format: 'date' },
    insured: { type: 'boolean', title: 'With travel insurance', default: true },
  },
  required: ['seat', 'bags'],
};

class FlightTools {}

const search = {
  value: async (/** @type {{ destination: string }} */ { destination }) => {
    await new Promise((resolve) => setTimeout(resolve, SEARCH_MS));
    return `Two flights to ${destination}: 09:20 for 140 €, 17:45 for 118 €.`;
  },
  configurable: true,
  writable: true,
};
AgentTool({
  name: 'search_flights',
  description: 'Finds flights to a destination.',
  effects: 'none',
  parameters: {
    type: 'object',
    properties: { destination: { type: 'string', minLength: 1, description: 'Name of the city' } },
    required: ['destination'],
  },
})(FlightTools.prototype, 'searchFlights', /** @type {TypedPropertyDescriptor<any>} */ (search));
Object.defineProperty(FlightTools.prototype, 'searchFlights', search);

class BookingAgent {
  /** @param {import('../../src/index.js').AgentContext} context */
  async *run(context) {
    const answer = await context.interrupt({
      message: 'Which seat do you want on the flight to Lisbon?',
      reason: 'booking',
      responseSchema: BOOKING,
    });
    const message = context.response.createMessageBuilder();
    yield message.createContentBuilder('text').addTextDelta(`Booked: ${JSON.stringify(answer)}`);
    yield message.complete();
  }
}
AgentType({ name: 'booking', description: 'Books a flight, after a question.', exposure: 'public' })(BookingAgent);

serve({ providers: [FlightTools, BookingAgent] }).catch((/** @type {unknown} */ error) => {
  console.error(error);
  process.exit(1);
});
