import { type Agent, type AgentContext, AgentTool, AgentType } from '../../src/index.js';

/** An agent that asks its user for a flat object, and one that asks for a list, which fits into no form. */
@AgentType({ name: 'seat-finder', description: 'Asks for a seat.', exposure: 'public', recovery: 'journal' })
export class SeatAgent implements Agent {
  async *run(context: AgentContext): ReturnType<Agent['run']> {
    const properties = { seat: { type: 'string', enum: ['aisle', 'window'] }, extra: { type: 'boolean' } };
    const responseSchema = { type: 'object', properties, required: ['seat'] };
    const answer = (await context.interrupt({ reason: 'seat', message: 'Which seat?', responseSchema })) as {
      seat: string;
    };
    const message = context.response.createMessageBuilder();
    message.createContentBuilder().addTextDelta(`The seat is at the ${answer.seat}.`);
    yield message.complete();
  }
}

/** Fails after a piece of its answer. */
@AgentType({ name: 'failing', description: 'Fails.', exposure: 'public' })
export class FailingAgent implements Agent {
  async *run({ response }: AgentContext): ReturnType<Agent['run']> {
    const message = response.createMessageBuilder();
    message.createContentBuilder().addTextDelta('Half ');
    yield message.complete();
    throw new Error('The disk is gone');
  }
}

/** Tools of the server: one free to use, one that needs a person's word. */
export class OpenTools {
  static opened: string[] = [];

  @AgentTool({
    name: 'add_numbers',
    description: 'Adds two numbers.',
    effects: 'none',
    parameters: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
  })
  async add({ a, b }: { a: number; b: number }): Promise<unknown> {
    return a + b;
  }

  @AgentTool({
    name: 'open_door',
    description: 'Opens a door.',
    effects: 'unsafe',
    parameters: { type: 'object', properties: { door: { type: 'string' } }, required: ['door'] },
  })
  async open({ door }: { door: string }): Promise<string> {
    OpenTools.opened.push(door);
    return `The door ${door} is open.`;
  }
}
