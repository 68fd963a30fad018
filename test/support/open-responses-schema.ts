import { z } from 'zod';

/**
 * The objects of the Open Responses specification, as strictly as its public compliance suite
 * takes it: nothing required is missing or null, and items, parts and events are of the known kinds only.
 * Additional members are allowed.
 */
const whole = z.number().int();
const state = z.enum(['in_progress', 'completed', 'incomplete']);

const citation = z.object({
  type: z.literal('url_citation'),
  url: z.string(),
  title: z.string(),
  start_index: whole,
  end_index: whole,
});
const token = z.object({ token: z.string(), logprob: z.number(), bytes: z.array(whole) });
const logprobs = z.array(token.extend({ top_logprobs: z.array(token) }));

const part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('input_text'), text: z.string() }),
  z.object({
    type: z.literal('input_image'),
    image_url: z.string().nullable(),
    detail: z.enum(['low', 'high', 'auto']),
  }),
  z.object({ type: z.literal('input_file'), filename: z.string().optional(), file_url: z.string().optional() }),
  z.object({ type: z.literal('output_text'), text: z.string(), annotations: z.array(citation), logprobs }),
  z.object({ type: z.enum(['text', 'summary_text', 'reasoning_text']), text: z.string() }),
  z.object({ type: z.literal('refusal'), refusal: z.string() }),
]);

const item = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message'),
    id: z.string(),
    status: state,
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content: z.array(part),
    phase: z.enum(['commentary', 'final_answer']).optional(),
  }),
  z.object({
    type: z.literal('function_call'),
    id: z.string(),
    status: state,
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
  z.object({
    type: z.literal('function_call_output'),
    id: z.string(),
    status: state,
    call_id: z.string(),
    output: z.union([z.string(), z.array(part)]),
  }),
  z.object({
    type: z.literal('reasoning'),
    id: z.string(),
    summary: z.array(part),
    content: z.array(part).optional(),
    encrypted_content: z.string().optional(),
  }),
  z.object({ type: z.literal('compaction'), id: z.string(), encrypted_content: z.string() }),
]);

const functionChoice = z.object({ type: z.literal('function'), name: z.string() });
const mode = z.enum(['none', 'auto', 'required']);
const usage = z.object({
  input_tokens: whole,
  input_tokens_details: z.object({ cached_tokens: whole }),
  output_tokens: whole,
  output_tokens_details: z.object({ reasoning_tokens: whole }),
  total_tokens: whole,
});
const format = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['text', 'json_object']) }),
  // The specification wants null for the schema; clients want the schema itself.
  z.object({
    type: z.literal('json_schema'),
    name: z.string(),
    description: z.string().nullable(),
    strict: z.boolean(),
  }),
]);

/** A response, with every key. */
export const responseSchema = z.object({
  id: z.string().min(1),
  object: z.literal('response'),
  created_at: whole,
  completed_at: whole.nullable(),
  status: z.enum(['queued', 'in_progress', 'completed', 'failed', 'incomplete', 'cancelled']),
  background: z.boolean(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  incomplete_details: z.object({ reason: z.string() }).nullable(),
  instructions: z.string().nullable(),
  max_output_tokens: whole.nullable(),
  max_tool_calls: whole.nullable(),
  model: z.string(),
  output: z.array(item),
  parallel_tool_calls: z.boolean(),
  previous_response_id: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
  reasoning: z
    .object({
      effort: z.enum(['none', 'low', 'medium', 'high', 'xhigh']).nullable(),
      summary: z.enum(['concise', 'detailed', 'auto']).nullable(),
    })
    .nullable(),
  safety_identifier: z.string().nullable(),
  service_tier: z.string(),
  store: z.boolean(),
  temperature: z.number(),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: whole,
  text: z.object({ format, verbosity: z.enum(['low', 'medium', 'high']) }),
  tool_choice: z.union([
    mode,
    functionChoice,
    z.object({ type: z.literal('allowed_tools'), tools: z.array(functionChoice), mode }),
  ]),
  tools: z.array(
    z.object({
      type: z.literal('function'),
      name: z.string(),
      description: z.string().nullable(),
      parameters: z.record(z.string(), z.unknown()).nullable(),
      strict: z.boolean().nullable(),
    }),
  ),
  truncation: z.enum(['auto', 'disabled']),
  usage: usage.nullable(),
  metadata: z.record(z.string(), z.string()),
});

/** What `/responses/compact` answers. */
export const compactionSchema = z.object({
  id: z.string(),
  object: z.literal('response.compaction'),
  created_at: whole,
  output: z.array(item),
  usage,
});

const within = { item_id: z.string(), output_index: whole };
const inPart = { ...within, content_index: whole };
const inSummary = { ...within, summary_index: whole };

/** What each kind of event holds besides its type and number. */
const EVENTS: Readonly<Record<string, z.ZodRawShape>> = {
  'response.created': { response: responseSchema },
  'response.queued': { response: responseSchema },
  'response.in_progress': { response: responseSchema },
  'response.completed': { response: responseSchema },
  'response.failed': { response: responseSchema },
  'response.incomplete': { response: responseSchema },
  'response.output_item.added': { output_index: whole, item },
  'response.output_item.done': { output_index: whole, item },
  'response.content_part.added': { ...inPart, part },
  'response.content_part.done': { ...inPart, part },
  'response.output_text.delta': { ...inPart, delta: z.string(), logprobs },
  'response.output_text.done': { ...inPart, text: z.string(), logprobs },
  'response.refusal.delta': { ...inPart, delta: z.string() },
  'response.refusal.done': { ...inPart, refusal: z.string() },
  'response.function_call_arguments.delta': { ...within, delta: z.string() },
  'response.function_call_arguments.done': { ...within, arguments: z.string() },
  'response.reasoning_summary_part.added': { ...inSummary, part },
  'response.reasoning_summary_part.done': { ...inSummary, part },
  'response.reasoning_summary_text.delta': { ...inSummary, delta: z.string() },
  'response.reasoning_summary_text.done': { ...inSummary, text: z.string() },
};

const kindOf = (type: string): z.ZodObject =>
  z.object({ type: z.literal(type), sequence_number: whole, ...EVENTS[type] });

/** An event of a stream. */
export const eventSchema = z.looseObject({ type: z.string(), sequence_number: whole }).superRefine((event, context) => {
  if (!Object.hasOwn(EVENTS, event.type)) context.addIssue(`there are no events ${event.type}`);
  else for (const issue of kindOf(event.type).safeParse(event).error?.issues ?? []) context.addIssue({ ...issue });
});

/** The error message of a connection without a response. */
export const socketErrorSchema = z.object({
  type: z.literal('error'),
  status: whole,
  error: z.object({ type: z.string(), code: z.string(), message: z.string(), param: z.string().nullable() }),
});

/** The value, if it matches the schema. @throws Error with every mismatch */
export function valid<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Error(`${z.prettifyError(result.error)}\nin ${JSON.stringify(value)}`);
}
