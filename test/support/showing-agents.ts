import { Injectable } from '@nestjs/common';
import { type Agent, type AgentContext, AgentType } from '../../src/agent/index.js';
import type { JsonObject } from '../../src/common/index.js';
import type { AgentEvent } from '../../src/events/index.js';
import { AgentTool, ToolAnswer } from '../../src/agent/tools/index.js';

/** A red pixel that browsers can decode. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

/** Answers with an image. */
@AgentType({ name: 'painter', description: 'Paints.', exposure: 'public' })
export class PainterAgent implements Agent {
  async *run({ response }: AgentContext): AsyncGenerator<AgentEvent, void, void> {
    const message = response.createMessageBuilder();
    message.createContentBuilder().addTextDelta('Here it is:');
    yield message.createContentBuilder('image').setImageUrl(`data:image/png;base64,${PIXEL}`);
    yield message.complete();
  }
}

/** Asks for a booking, and says what it was told. */
@AgentType({ name: 'booking', description: 'Books.', exposure: 'public' })
export class BookingAgent implements Agent {
  async *run(context: AgentContext): AsyncGenerator<AgentEvent, void, void> {
    const answer = (await context.interrupt({
      message: 'Which seat?',
      reason: 'booking',
      responseSchema: {
        type: 'object',
        title: 'Booking',
        properties: {
          seat: {
            type: 'string',
            title: 'Seat',
            oneOf: [
              { const: 'w', title: 'Window' },
              { const: 'a', title: 'Aisle' },
            ],
          },
          bags: { type: 'integer', title: 'Bags', minimum: 0, maximum: 3 },
          on: { type: 'string', title: 'Day', format: 'date' },
          extras: { type: 'array', title: 'Extras', items: { enum: ['meal', 'wifi'] } },
          insured: { type: 'boolean', title: 'Insured', default: true },
        },
        required: ['seat', 'bags'],
      },
    })) as JsonObject;
    const message = context.response.createMessageBuilder();
    message
      .createContentBuilder()
      .addTextDelta(
        `Booked: ${['seat', 'bags', 'on', 'extras', 'insured'].map((name) => JSON.stringify(answer[name])).join(' ')}`,
      );
    yield message.complete();
  }
}

/** A tool whose answer is shown as a card. */
@Injectable()
export class CardTools {
  @AgentTool({ description: 'Shows the parcel', effects: 'none', parameters: { type: 'object' } })
  parcel(): Promise<ToolAnswer> {
    return Promise.resolve(
      new ToolAnswer(
        { state: 'on its way' },
        {
          title: 'Parcel 42',
          status: 'success',
          badge: 'On its way',
          fields: [{ label: 'From', value: 'Lisbon' }],
          items: [
            { type: 'progress', value: 0.5 },
            { type: 'table', columns: ['Day', 'Place'], rows: [['Monday', 'Porto']] },
          ],
          actions: [{ label: 'Where now?', action: { type: 'send_message', payload: { text: 'Hello parcel' } } }],
        },
      ),
    );
  }
}
