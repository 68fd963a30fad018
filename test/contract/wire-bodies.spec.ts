import type { Type } from '@nestjs/common';
import { AppError, SequentialIds } from '../../src/common/index.js';
import { decodeAgentRequest } from '../../src/protocol/agent-api/agent-api-request.decoder.js';
import { AgentRequestDto } from '../../src/protocol/agent-api/dto/agent-request.dto.js';
import { PROCESS_EXAMPLES } from '../../src/protocol/agent-api/dto/examples.js';
import { DECODE_V1 } from '../../src/protocol/a2a/v1/v1.decoder.js';
import { A2aSendRequestDto } from '../../src/protocol/a2a/dto/a2a.dto.js';
import { SEND_EXAMPLES } from '../../src/protocol/a2a/dto/examples.js';
import { decodeAgKitRequest } from '../../src/protocol/ag-kit/ag-kit-request.decoder.js';
import { namedInBody } from '../../src/protocol/ag-kit/addressed-user.decorator.js';
import { decodeBotRequest } from '../../src/protocol/ag-kit/ag-kit-submission.js';
import { dialectOf } from '../../src/protocol/ag-kit/dialect.js';
import { AgKitRequestDto, BotRequestDto, SEND_MESSAGE_EXAMPLES } from '../../src/protocol/ag-kit/dto/request.dto.js';
import { decodeRunInput as decodeAgUi } from '../../src/protocol/ag-ui-events/index.js';
import { AG_UI_EXAMPLES, AgUiRunAgentInputDto } from '../../src/protocol/ag-ui/dto/run-agent-input.dto.js';
import { decodeChatRequest } from '../../src/protocol/ai-sdk/chat-request.decoder.js';
import { ChatRequestDto } from '../../src/protocol/ai-sdk/dto/ai-sdk.dto.js';
import { CHAT_EXAMPLES } from '../../src/protocol/ai-sdk/dto/examples.js';
import { decodeCompletionRequest } from '../../src/protocol/chat-completions/completion-request.decoder.js';
import { CompletionRequestDto } from '../../src/protocol/chat-completions/dto/completion.dto.js';
import { COMPLETION_EXAMPLES } from '../../src/protocol/chat-completions/dto/examples.js';
import { FieldReader } from '../../src/protocol/http/index.js';
import { CreateResponseDto } from '../../src/protocol/responses/dto/create-response.dto.js';
import { CREATE_EXAMPLES } from '../../src/protocol/responses/dto/examples.js';
import { decodeCreateRequest } from '../../src/protocol/responses/responses-request.decoder.js';
import { RESUME_EXAMPLES, RUN_EXAMPLES } from '../../src/protocol/runs/dto/examples.js';
import { ResumeRequestDto } from '../../src/protocol/runs/dto/resume.dto.js';
import { RunsRunAgentInputDto } from '../../src/protocol/runs/dto/run-input.dto.js';
import { decodeResume } from '../../src/protocol/runs/input/resume.decoder.js';
import { decodeRunsInput } from '../../src/protocol/runs/input/run-input.decoder.js';
import { CALLER } from '../support/caller.js';

type Body = Readonly<Record<string, unknown>>;

/** A body of a wire: the class that documents it, and what reads it. */
interface WireBody {
  readonly name: string;
  readonly dto: Type<object>;
  readonly examples: readonly Body[];
  readonly decode: (body: Body) => unknown;
  /** Fields that are read and not documented, because the contract refuses them, or tolerates another spelling. */
  readonly tolerated?: readonly string[];
  /** Whether fields that it does not know reach the agent. */
  readonly passesOn?: boolean;
}

const LIMIT = 1_000_000;
/** The older spelling of the fields of a RunAgentInput. */
const RUN_ALIASES = ['thread_id', 'run_id', 'parent_run_id', 'forwarded_props'];
const values = (examples: Readonly<Record<string, { readonly value: unknown }>>): readonly Body[] =>
  Object.values(examples).map(({ value }) => value as Body);

const agKit = (dialect: 'ag-kit' | 'bot'): readonly Body[] =>
  values(SEND_MESSAGE_EXAMPLES).filter((body) => dialectOf(body) === dialect);

const BODIES: readonly WireBody[] = [
  {
    name: 'Agent API',
    dto: AgentRequestDto,
    examples: values(PROCESS_EXAMPLES),
    decode: (body) =>
      decodeAgentRequest(body, { ids: new SequentialIds(), agentType: 'worker', onBusy: 'reject', caller: CALLER }),
    passesOn: true,
  },
  {
    name: 'Responses',
    dto: CreateResponseDto,
    examples: values(CREATE_EXAMPLES),
    decode: (body) => {
      const ids = new SequentialIds();
      const items = { nextId: () => ids.next('msg_'), decrypt: () => undefined };
      return decodeCreateRequest(body, { items, defaultModel: 'worker' });
    },
  },
  {
    name: 'Chat Completions',
    dto: CompletionRequestDto,
    examples: values(COMPLETION_EXAMPLES),
    decode: (body) => decodeCompletionRequest(body, LIMIT),
    tolerated: ['n', 'logprobs', 'top_logprobs', 'logit_bias', 'modalities', 'audio', 'functions', 'function_call'],
  },
  {
    name: 'AI SDK',
    dto: ChatRequestDto,
    examples: values(CHAT_EXAMPLES),
    decode: (body) => decodeChatRequest(body, LIMIT),
  },
  {
    name: 'AG-UI',
    dto: AgUiRunAgentInputDto,
    examples: values(AG_UI_EXAMPLES),
    decode: (body) => decodeAgUi(body),
    tolerated: RUN_ALIASES,
  },
  {
    name: 'AG-Kit',
    dto: AgKitRequestDto,
    examples: agKit('ag-kit'),
    decode: (body) => [namedInBody(body), decodeAgKitRequest(body, 'seed')],
    passesOn: true,
  },
  {
    name: 'AG-Kit, bots',
    dto: BotRequestDto,
    examples: agKit('bot'),
    decode: (body) => [namedInBody(body), decodeBotRequest(body, 'seed')],
    tolerated: ['files'],
    passesOn: true,
  },
  {
    name: 'Runs API',
    dto: RunsRunAgentInputDto,
    examples: values(RUN_EXAMPLES),
    decode: (body) => decodeRunsInput(body, { isKnownAgent: () => true, onInvalidClientTime: 'reject' }),
    tolerated: RUN_ALIASES,
  },
  {
    name: 'Runs API, resume',
    dto: ResumeRequestDto,
    examples: values(RESUME_EXAMPLES),
    decode: decodeResume,
    tolerated: ['run_id'],
  },
  {
    name: 'A2A',
    dto: A2aSendRequestDto,
    examples: values(SEND_EXAMPLES),
    decode: (body) => DECODE_V1.send(body),
    tolerated: ['tenant'],
  },
];

/** The fields that a class documents, those of the classes that it extends among them. */
function documented(dto: Type<object>): readonly string[] {
  const properties = Reflect.getMetadata('swagger/apiModelPropertiesArray', dto.prototype as object) as string[];
  return properties.map((name) => name.replace(/^:/, ''));
}

/** What a body leads to: the decoded request, or the error. */
function outcome(decode: WireBody['decode'], body: Body): string {
  try {
    return JSON.stringify(decode(body), (_, value: unknown) =>
      value instanceof Map || value instanceof Set ? [...(value as Iterable<unknown>)] : value,
    );
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

/** What no field has in an example. */
const ODD: readonly unknown[] = [5, 'odd', true, [], [5], {}, { odd: 1 }, -1.5];

/** Whether some value of a field makes a difference to some example. */
function matters({ decode, examples }: WireBody, field: string): boolean {
  return examples.some((example) => {
    const before = outcome(decode, example);
    const { [field]: _, ...without } = example;
    if (field in example && outcome(decode, without) !== before) return true;
    return ODD.some((value) => outcome(decode, { ...example, [field]: value }) !== before);
  });
}

/** The fields at the top of a body that a decoder looks for, whether they are there or not. */
function readsOf({ decode, examples }: WireBody): ReadonlySet<string> {
  const names = new Set<string>();
  const record = (name: string | symbol): void => {
    if (typeof name === 'string' && !['toJSON', 'constructor'].includes(name)) names.add(name);
  };
  type Reading = { readonly path: string; present(name: string): unknown };
  const reader = FieldReader.prototype as unknown as Reading;
  // Decoders that bring keys to one spelling read a copy of the body.
  const present = Object.getOwnPropertyDescriptor(reader, 'present')?.value as Reading['present'];
  const spied = jest.spyOn(reader, 'present').mockImplementation(function (this: Reading, name) {
    if (this.path === '') record(name);
    return present.call(this, name);
  });
  for (const example of examples) {
    const body = new Proxy(example, {
      get: (target, name) => {
        record(name);
        return Reflect.get(target, name) as unknown;
      },
      getOwnPropertyDescriptor: (target, name) => {
        record(name);
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
    });
    decode(body);
  }
  spied.mockRestore();
  return names;
}

/** All names under which some wire documents a field, in both spellings. */
const ANY_FIELD = [
  ...new Set(
    BODIES.flatMap(({ dto }) => documented(dto)).flatMap((name) => [
      name,
      name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    ]),
  ),
];

describe.each(BODIES)('the documented body of $name', (body) => {
  const fields = documented(body.dto);

  it('has examples, which are accepted', () => {
    expect(body.examples.length).toBeGreaterThan(0);
    for (const example of body.examples) expect(() => body.decode(example)).not.toThrow();
  });

  it('has no field that is not read', () => {
    const reads = readsOf(body);
    expect(fields.filter((field) => !reads.has(field) && !matters(body, field))).toEqual([]);
  });

  it('has every field that is read', () => {
    const known = [...fields, ...(body.tolerated ?? [])];
    const read = [...readsOf(body)].filter((name) => !known.includes(name));
    const others = body.passesOn === true ? [] : ANY_FIELD.filter((name) => !known.includes(name));
    expect([...read, ...others.filter((name) => matters(body, name))]).toEqual([]);
  });
});
