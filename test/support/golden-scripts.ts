import { args, call, finish, reasoning, type ScriptStep, text } from '../../src/agent/testing/scripted-model-client.js';
import { AppError } from '../../src/common/index.js';
import { type Agent, type AgentContext, AgentTool, AgentType, ToolError } from '../../src/index.js';

/** What every wire is played through. */
export const GOLDEN_SCENARIOS = [
  'text',
  'reasoning',
  'server-tool',
  'parallel-tools',
  'client-tool',
  'approval',
  'failure-before',
  'failure-after',
  'cancel',
] as const;

/** What only some wires are played through. */
export const GOLDEN_DETAILS = [
  'tool-failure',
  'bad-arguments',
  'denied',
  'approval-and-client-tool',
  'refusal',
  'length',
  'citation',
  'parts',
  'question',
] as const;

/** One of them. */
export type GoldenScenario = (typeof GOLDEN_SCENARIOS)[number] | (typeof GOLDEN_DETAILS)[number];

/** The user's message in every scenario. */
export const GOLDEN_QUESTION = 'What is the weather in Paris?';

/** The tool a client declares in the scenario `client-tool`; its call has the id `call_map`. */
export const GOLDEN_CLIENT_TOOL = {
  name: 'show_map',
  description: 'Shows a place on a map.',
  parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
} as const;

/** What the client answers for `call_map`. */
export const GOLDEN_CLIENT_OUTPUT = 'The map is shown.';

/** The answers of the model, call by call. A `do` step cancels the run from outside, as a user would. */
export const GOLDEN_SCRIPTS: Readonly<Record<GoldenScenario, readonly (readonly ScriptStep[])[]>> = {
  text: [[text('It is '), text('"fine"\n'), text('晴 in Paris.'), finish()]],
  reasoning: [[reasoning('The user asks '), reasoning('about Paris.'), text('It is fine.'), finish()]],
  'server-tool': [
    [
      text('Let me look. '),
      call(0, 'read_thermometer', '{"city":', 'call_a'),
      args(0, '"Paris"}'),
      finish('tool-calls'),
    ],
    [text('21 degrees.'), finish()],
  ],
  'parallel-tools': [
    [
      call(0, 'read_thermometer', '{"city":"Paris"}', 'call_a'),
      call(1, 'read_thermometer', '{"city":"Rome"}', 'call_b'),
      finish('tool-calls'),
    ],
    [text('Both are fine.'), finish()],
  ],
  'client-tool': [
    [call(0, 'show_map', '{"place":', 'call_map'), args(0, '"Paris"}'), finish('tool-calls')],
    [text('Here it is.'), finish()],
  ],
  approval: [
    [text('I will ask. '), call(0, 'open_window', '{"room":"kitchen"}', 'call_w'), finish('tool-calls')],
    [text('It is open.'), finish()],
  ],
  'failure-before': [[{ type: 'throw', error: new AppError('MODEL_EXECUTION_FAILED') }]],
  'failure-after': [[text('It is '), { type: 'throw', error: new AppError('MODEL_EXECUTION_FAILED') }]],
  cancel: [[text('It is '), { type: 'do', action: () => undefined }, { type: 'hang' }]],
  'tool-failure': [
    [call(0, 'break_thermometer', '{"city":"Paris"}', 'call_a'), finish('tool-calls')],
    [text('It is broken.'), finish()],
  ],
  'bad-arguments': [
    [call(0, 'read_thermometer', '{"city":"Pa', 'call_a'), finish('tool-calls')],
    [text('I cannot say.'), finish()],
  ],
  denied: [
    [call(0, 'open_window', '{"room":"kitchen"}', 'call_w'), finish('tool-calls')],
    [text('It stays closed.'), finish()],
  ],
  'approval-and-client-tool': [
    [
      call(0, 'open_window', '{"room":"kitchen"}', 'call_w'),
      call(1, 'show_map', '{"place":"Paris"}', 'call_map'),
      finish('tool-calls'),
    ],
    [text('Both are done.'), finish()],
  ],
  refusal: [[{ type: 'refusal-delta', text: 'I would rather not.' }, finish()]],
  length: [[text('It is'), finish('length')]],
  citation: [
    [text('Paris is in France.'), { type: 'citation', url: 'https://example.org/a', title: 'A page' }, finish()],
  ],
  parts: [],
  question: [],
};

const PLACE = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name] });

/** The server's tools: one that is free to use, one that needs a person's word. */
export class GoldenTools {
  @AgentTool({
    name: 'read_thermometer',
    description: 'The temperature of a city.',
    effects: 'none',
    parameters: PLACE('city'),
  })
  async readThermometer({ city }: { city: string }): Promise<unknown> {
    return { city, celsius: 21 };
  }

  @AgentTool({
    name: 'open_window',
    description: 'Opens a window.',
    effects: 'unsafe',
    parameters: PLACE('room'),
  })
  async openWindow({ room }: { room: string }): Promise<string> {
    return `The window of the ${room} is open.`;
  }
}

/** The tool of the scenario `tool-failure`. In the others its description would count as tokens. */
export class GoldenBrokenTools {
  @AgentTool({
    name: 'break_thermometer',
    description: 'Fails.',
    effects: 'none',
    parameters: PLACE('city'),
  })
  async breakThermometer({ city }: { city: string }): Promise<string> {
    throw new ToolError(`There is no thermometer in ${city}`);
  }
}

/** An agent whose answer has parts of many kinds, and another that asks its user. */
@AgentType({ name: 'golden_parts', description: 'Shows everything.', exposure: 'public' })
export class GoldenPartsAgent implements Agent {
  async *run({ response, state, emit }: AgentContext): ReturnType<Agent['run']> {
    state.set({ city: 'Paris' });
    const message = response.createMessageBuilder();
    message.createContentBuilder().addTextDelta('Paris, as a picture:');
    yield message.createContentBuilder('image').setImageUrl('https://example.org/paris.png');
    const data = message.createContentBuilder('data');
    data.addDataDelta({ kind: 'forecast', days: 3 });
    yield message.complete({
      metadata: {
        citations: [{ url: 'https://example.org/a', title: 'A page', start_index: 0, end_index: 5 }],
        annotations: [{ type: 'file_citation', filename: 'paris.pdf', title: 'A guide' }],
      },
    });
    state.patch([{ op: 'add', path: '/days', value: 3 }]);
    emit({ object: 'activity', kind: 'snapshot', id: 'plan', activity_type: 'plan', content: { done: 1 } });
    emit({ object: 'custom', name: 'weather', value: { celsius: 21 } });
    const last = response.createMessageBuilder();
    last.createContentBuilder().addTextDelta('That is all.');
    yield last.complete();
  }
}

@AgentType({ name: 'golden_question', description: 'Asks for a seat.', exposure: 'public' })
export class GoldenQuestionAgent implements Agent {
  async *run(context: AgentContext): ReturnType<Agent['run']> {
    const responseSchema = { type: 'object', properties: { seat: { type: 'string' } }, required: ['seat'] };
    const answer = (await context.interrupt({ reason: 'seat', message: 'Which seat?', responseSchema })) as {
      seat: string;
    };
    const message = context.response.createMessageBuilder();
    message.createContentBuilder().addTextDelta(`The seat is ${answer.seat}.`);
    yield message.complete();
  }
}
