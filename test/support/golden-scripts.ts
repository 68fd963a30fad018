import { args, call, finish, reasoning, type ScriptStep, text } from '../../src/agent/testing/scripted-model-client.js';
import { AppError } from '../../src/common/index.js';
import { AgentTool } from '../../src/index.js';

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

/** One of them. */
export type GoldenScenario = (typeof GOLDEN_SCENARIOS)[number];

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
