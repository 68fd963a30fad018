import { AppError } from '../../src/common/index.js';
import { type Agent, type AgentContext, AgentTool, AgentType, type ToolContext, ToolError } from '../../src/index.js';
import { ToolAnswer } from '../../src/agent/tools/index.js';

/*
 * What the public conformance suite of MCP calls by name: tools of the server, and agents as tools for what has to ask.
 */

const NOTHING = { type: 'object', properties: {} } as const;
/** One red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAD//w==';
const TEXT = { type: 'text', text: 'Multiple content types test:' };
const RESOURCE = {
  uri: 'test://mixed-content-resource',
  mimeType: 'application/json',
  text: '{"test":"data","value":123}',
};

/** The schema whose keywords have to reach clients. */
const SCHEMA_2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
} as const;

const free = (name: string, parameters: object = NOTHING) =>
  ({ name, description: `The fixture ${name}.`, effects: 'none', parameters }) as never;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The fixtures that need nobody. */
export class FixtureTools {
  @AgentTool(free('test_simple_text'))
  async simpleText(): Promise<string> {
    return 'This is a simple text response for testing.';
  }

  @AgentTool(free('test_image_content'))
  async image(): Promise<ToolAnswer> {
    return new ToolAnswer('', undefined, [], { content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] });
  }

  @AgentTool(free('test_audio_content'))
  async audio(): Promise<ToolAnswer> {
    return new ToolAnswer('', undefined, [], { content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] });
  }

  @AgentTool(free('test_embedded_resource'))
  async embedded(): Promise<ToolAnswer> {
    const resource = {
      uri: 'test://embedded-resource',
      mimeType: 'text/plain',
      text: 'This is an embedded resource content.',
    };
    return new ToolAnswer('', undefined, [], { content: [{ type: 'resource', resource }] });
  }

  @AgentTool(free('test_multiple_content_types'))
  async mixed(): Promise<ToolAnswer> {
    const image = { type: 'image', data: PNG, mimeType: 'image/png' };
    return new ToolAnswer('', undefined, [], { content: [TEXT, image, { type: 'resource', resource: RESOURCE }] });
  }

  @AgentTool(free('test_error_handling'))
  async error(): Promise<string> {
    throw new ToolError('This tool intentionally returns an error for testing');
  }

  @AgentTool(free('test_tool_with_progress'))
  async progress(_args: object, context: ToolContext): Promise<string> {
    for (const progress of [0, 50, 100]) {
      context.progress({ progress, total: 100, message: `${progress} of 100` });
      await wait(120);
    }
    return 'Done.';
  }

  @AgentTool(free('test_logging_tool'))
  async logging(): Promise<string> {
    return 'Nothing is logged.';
  }

  @AgentTool(free('test_reconnection'))
  async reconnection(): Promise<string> {
    await wait(6000);
    return 'Reconnected.';
  }

  @AgentTool(free('json_schema_2020_12_tool', SCHEMA_2020))
  async schema(): Promise<string> {
    return 'ok';
  }

  @AgentTool(free('greet', { type: 'object', properties: { name: { type: 'string' } } }))
  async greet({ name = 'you' }: { name?: string }): Promise<string> {
    return `Hello, ${name}!`;
  }

  @AgentTool(
    free('slow_compute', { type: 'object', properties: { seconds: { type: 'number' }, label: { type: 'string' } } }),
  )
  async slow(
    { seconds = 1, label = '' }: { seconds?: number; label?: string },
    { signal }: ToolContext,
  ): Promise<string> {
    await Promise.race([wait(seconds * 1000), new Promise((resolve) => signal.addEventListener('abort', resolve))]);
    return `Computed ${label}`;
  }

  @AgentTool(free('failing_job'))
  async failing(): Promise<string> {
    await wait(300);
    throw new ToolError('The job failed');
  }
}

type Asked = Readonly<Record<string, unknown>>;

/** Answers with one text. */
function* say({ response }: AgentContext, text: string): Generator<never> {
  const message = response.createMessageBuilder();
  message.createContentBuilder().addTextDelta(text);
  yield message.complete() as never;
}

/** Asks a person. */
async function ask(
  context: AgentContext,
  key: string,
  message: string,
  properties: object,
  required = Object.keys(properties),
): Promise<Asked> {
  const responseSchema = { type: 'object', properties, required } as never;
  return (await context.interrupt({ key, reason: key, message, responseSchema })) as Asked;
}

const tool = (name: string, properties: object = {}) => ({
  name: `fixture_${name}`,
  description: `The fixture ${name}.`,
  exposure: 'public' as const,
  recovery: 'journal' as const,
  mcpTool: { name, parameters: { type: 'object', properties } as never },
});

@AgentType(tool('test_elicitation', { message: { type: 'string' } }))
class ElicitationAgent implements Agent {
  async *run(context: AgentContext): ReturnType<Agent['run']> {
    const text = JSON.stringify(context.input);
    const message = /"message":"([^"]*)"/.exec(text)?.[1] ?? 'Who are you?';
    const fields = { username: { type: 'string' }, email: { type: 'string' } };
    yield* say(context, `User response: ${JSON.stringify(await ask(context, 'user', message, fields))}`);
  }
}

@AgentType(tool('test_elicitation_sep1034_defaults'))
class DefaultsAgent implements Agent {
  async *run(context: AgentContext): ReturnType<Agent['run']> {
    const fields = {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    };
    const answer = await ask(context, 'defaults', 'Please check', fields, []);
    yield* say(context, `Elicitation completed: action=accept, content=${JSON.stringify(answer)}`);
  }
}

@AgentType(tool('test_elicitation_sep1330_enums'))
class EnumsAgent implements Agent {
  async *run(context: AgentContext): ReturnType<Agent['run']> {
    const plain = ['option1', 'option2', 'option3'];
    const titled = [
      { const: 'value1', title: 'First Option' },
      { const: 'value2', title: 'Second Option' },
      { const: 'value3', title: 'Third Option' },
    ];
    const fields = {
      untitledSingle: { type: 'string', enum: plain },
      titledSingle: { type: 'string', oneOf: titled },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: plain } },
      titledMulti: { type: 'array', items: { anyOf: titled } },
    };
    const answer = await ask(context, 'enums', 'Please choose', fields, []);
    yield* say(context, `Elicitation completed: action=accept, content=${JSON.stringify(answer)}`);
  }
}

/** Asks for a name, or whether it is fine. */
function askingAgent(name: string, field: 'name' | 'ok' = 'name'): new () => Agent {
  @AgentType(tool(name))
  class AskingAgent implements Agent {
    async *run(context: AgentContext): ReturnType<Agent['run']> {
      const fields = field === 'name' ? { name: { type: 'string' } } : { ok: { type: 'boolean' } };
      const answer = await ask(context, field, field === 'name' ? 'What is your name?' : 'Please confirm', fields);
      yield* say(context, `Hello, ${String(answer[field])}!`);
    }
  }
  return AskingAgent;
}

@AgentType(tool('test_input_required_result_multi_round'))
class RoundsAgent implements Agent {
  async *run(context: AgentContext): ReturnType<Agent['run']> {
    const one = await ask(context, 'step1', 'Step 1: What is your name?', { name: { type: 'string' } });
    const two = await ask(context, 'step2', 'Step 2: What is your favorite color?', { color: { type: 'string' } });
    yield* say(context, `${String(one['name'])} likes ${String(two['color'])}`);
  }
}

@AgentType(tool('confirm_delete', { filename: { type: 'string' } }))
class ConfirmAgent implements Agent {
  async *run(context: AgentContext): ReturnType<Agent['run']> {
    const answer = await ask(context, 'confirm', 'Delete it?', { confirm: { type: 'boolean' } });
    yield* say(context, `Deleted: ${String(answer['confirm'])}`);
  }
}

@AgentType(tool('protocol_error_job'))
class BrokenAgent implements Agent {
  async *run({ flush }: AgentContext): ReturnType<Agent['run']> {
    yield;
    await flush();
    await wait(400);
    throw new AppError('INTERNAL_ERROR');
  }
}

/** Everything that the suite calls. */
export const FIXTURES = [
  FixtureTools,
  ElicitationAgent,
  DefaultsAgent,
  EnumsAgent,
  RoundsAgent,
  ConfirmAgent,
  BrokenAgent,
  askingAgent('test_input_required_result_elicitation'),
  askingAgent('test_input_required_result_request_state', 'ok'),
  askingAgent('test_input_required_result_tampered_state', 'ok'),
  askingAgent('test_streaming_elicitation'),
];
