/** A JSON Schema as OpenAPI 3.0 takes it. */
export interface EventFieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: EventFieldSchema;
  readonly additionalProperties?: boolean;
  readonly example?: unknown;
}

/** The fields of one event apart from `type`. */
export interface EventDescription {
  readonly description: string;
  readonly required: Readonly<Record<string, EventFieldSchema>>;
  readonly optional?: Readonly<Record<string, EventFieldSchema>>;
}

const text = (description: string, example?: unknown): EventFieldSchema => ({
  type: 'string',
  description,
  ...(example !== undefined && { example }),
});
const object = (description: string): EventFieldSchema => ({ type: 'object', additionalProperties: true, description });
const list = (description: string): EventFieldSchema => ({
  type: 'array',
  items: { type: 'object', additionalProperties: true },
  description,
});
const messageId = text('The id of the message.', 'msg_1');
const toolCallId = text('The id of the call.', 'call_1');
const delta = text('A piece to append.');
const threadId = text('The conversation.', 'thread-1');
const runId = text('The run id that the client chose.', 'run-1');
const usage = list('The token usage per model: inputTokens, outputTokens, totalTokens and their parts.');
const subagentRunId = text(
  'The subagent that the event comes from; absent for the main agent of the run.',
  'subagent_1',
);
const owner = { subagentRunId };
const activity = {
  messageId: text('The id of the activity.'),
  activityType: text('The type of the activity.', 'PLAN'),
};

/** Every event that an AG-UI stream of this server can contain, discriminated by `type` (contract ag-ui, section 1.3). */
export const AG_UI_EVENTS: Readonly<Record<string, EventDescription>> = {
  RUN_STARTED: {
    description: 'The run starts. Always the first event, unless the run is refused.',
    required: { threadId, runId },
    optional: {
      protocolVersion: text('For clients that sent `protocolVersion`.', '1.0'),
      parentRunId: text('As in the request.'),
      input: object('The input of the run; in replays only.'),
    },
  },
  RUN_FINISHED: {
    description: 'The run has ended; no event follows.',
    required: { threadId, runId },
    optional: {
      outcome: object('`success`, `interrupt` (with the open interrupts) or `cancelled`; absent for success.'),
      usage,
    },
  },
  RUN_ERROR: {
    description: 'The run has failed; no event follows.',
    required: { message: text('A message for people.') },
    optional: { code: text('A stable code for programs.', 'MODEL_TIMEOUT'), usage },
  },
  STEP_STARTED: { description: 'A step starts.', required: { stepName: text('Its name.') }, optional: owner },
  STEP_FINISHED: { description: 'A step ends.', required: { stepName: text('Its name.') }, optional: owner },
  TEXT_MESSAGE_START: {
    description: 'A text message of the assistant starts.',
    required: { messageId, role: { type: 'string', enum: ['assistant'] } },
    optional: owner,
  },
  TEXT_MESSAGE_CONTENT: { description: 'A piece of the text.', required: { messageId, delta } },
  TEXT_MESSAGE_END: { description: 'The message is complete.', required: { messageId } },
  TOOL_CALL_START: {
    description: 'A tool call of the assistant starts.',
    required: {
      toolCallId,
      toolCallName: text('The name of the tool.', 'get_weather'),
      parentMessageId: text('The id of the assistant message that the call belongs to.'),
    },
    optional: owner,
  },
  TOOL_CALL_ARGS: { description: 'A piece of the arguments, which are JSON text.', required: { toolCallId, delta } },
  TOOL_CALL_END: { description: 'The arguments are complete.', required: { toolCallId } },
  TOOL_CALL_RESULT: {
    description: 'The result of a tool. Client tools have no result here; the client sends it with its next run.',
    required: { messageId, toolCallId, content: text('The output.'), role: { type: 'string', enum: ['tool'] } },
    optional: { ...owner, metadata: object('`isError` is true if the tool failed.') },
  },
  STATE_SNAPSHOT: {
    description: 'The full shared state.',
    required: { snapshot: object('The state.') },
    optional: owner,
  },
  STATE_DELTA: {
    description: 'A change of the shared state.',
    required: { delta: list('An RFC 6902 patch.') },
    optional: owner,
  },
  MESSAGES_SNAPSHOT: {
    description: 'All messages of the conversation, before an interrupt and after a recovery.',
    required: { messages: list('The messages; their ids are those of the stream.') },
  },
  ACTIVITY_SNAPSHOT: {
    description: 'The full content of an activity, such as progress, which is not a message.',
    required: { ...activity, content: object('The content of the activity.') },
    optional: owner,
  },
  ACTIVITY_DELTA: {
    description: 'An update of an activity.',
    required: { ...activity, patch: list('An RFC 6902 patch.') },
    optional: owner,
  },
  REASONING_START: { description: 'The reasoning starts.', required: { messageId }, optional: owner },
  REASONING_MESSAGE_START: {
    description: 'The reasoning text starts.',
    required: { messageId, role: { type: 'string', enum: ['reasoning'] } },
    optional: owner,
  },
  REASONING_MESSAGE_CONTENT: { description: 'A piece of the reasoning text.', required: { messageId, delta } },
  REASONING_MESSAGE_END: { description: 'The reasoning text is complete.', required: { messageId } },
  REASONING_END: { description: 'The reasoning ends.', required: { messageId } },
  REASONING_ENCRYPTED_VALUE: {
    description: 'Encrypted reasoning of a provider, to be sent back with the message or call.',
    required: {
      subtype: { type: 'string', enum: ['message', 'tool-call'] },
      entityId: text('The id of the message or call.'),
      encryptedValue: text('An opaque value.'),
    },
  },
  CUSTOM: {
    description: 'Any other event, by name, for example `run.recovered`, `run.incomplete`, `message.content`.',
    required: { name: text('The name of the event.', 'run.recovered'), value: { description: 'Any JSON.' } },
    optional: owner,
  },
  RAW: {
    description: 'An event of another system, unchanged.',
    required: { event: { description: 'Any JSON.' } },
    optional: { source: text('The name of the other system.'), ...owner },
  },
  SUBAGENT_STARTED: {
    description: 'A subagent starts a part of the run.',
    required: {
      subagentRunId: text('The id of the subagent run.', 'subagent_1'),
      name: text('The agent.', 'researcher'),
    },
    optional: {
      description: text('A description of the task.'),
      parentSubagentRunId: text('The id of the parent subagent run.'),
      parentToolCallId: text('The id of the tool call that started it.'),
    },
  },
  SUBAGENT_FINISHED: {
    description: 'The subagent has finished, or waits for a person together with its run.',
    required: { subagentRunId: text('The id of the subagent run.', 'subagent_1') },
    optional: {
      result: { description: 'Any JSON.' },
      outcome: object('`suspended` with the ids of the interrupts, if the subagent waits.'),
    },
  },
  SUBAGENT_ERROR: {
    description: 'The subagent has failed; the run may continue.',
    required: {
      subagentRunId: text('The id of the subagent run.', 'subagent_1'),
      message: text('A message for people.'),
    },
    optional: { code: text('A stable code for programs.') },
  },
};

/** The name of an event's component in the OpenAPI document: `AgUiRunStartedEvent`. */
export function eventSchemaName(type: string): string {
  const words = type.toLowerCase().split('_');
  return `AgUi${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Event`;
}

/** The union of all events, discriminated by `type`; the components are declared by the `ag-ui` wire. */
export function anyEventSchema() {
  const types = Object.keys(AG_UI_EVENTS);
  const ref = (type: string): string => `#/components/schemas/${eventSchemaName(type)}`;
  return {
    oneOf: types.map((type) => ({ $ref: ref(type) })),
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(types.map((type) => [type, ref(type)])) },
  };
}
