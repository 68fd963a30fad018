import { dataOf, type Message } from '../../events/index.js';
import { exactObjectIn, isPlainObject, type JsonObject } from '../../common/index.js';
import type { InterruptAnswer } from '../../run/index.js';
import { fieldError, FieldReader } from '../http/bodies/field-reader.js';
import { parseFieldText } from '../http/bodies/json-text.js';

const ID_LENGTH = { min: 1, max: 256 };
const REASON_LENGTH = { min: 0, max: 2000 };
const SERVER_OUTPUTS: readonly string[] = ['plugin_call_output', 'component_call_output', 'mcp_call_output'];

/**
 * The approvals that a request answers: its `mcp_approval_response` messages after the last output of
 * the server. Earlier ones are repetition by clients that send the whole conversation. Of what a client
 * says of an approval only the decision, the reason and `edited_arguments` count; what it echoes of the
 * call is passed over.
 *
 * @throws AppError naming the field
 */
export function decodeAnswers(input: readonly Message[]): readonly InterruptAnswer[] {
  const begins = input.findLastIndex(({ role, type }) => role === 'assistant' || SERVER_OUTPUTS.includes(type)) + 1;
  return input.slice(begins).flatMap((message, index) => {
    if (message.type !== 'mcp_approval_response') return [];
    return [decodeAnswer(message, `input[${begins + index}]`)];
  });
}

function decodeAnswer(message: Message, path: string): InterruptAnswer {
  const data = dataOf(message);
  if (!data) throw fieldError(`${path}.content`, 'must have a data content with the answer', 'MISSING_PARAMETER');
  const slot = (message.content ?? []).findIndex((content) => content.type === 'data' && content.data);
  const fields = new FieldReader(data, `${path}.content[${slot}].data`);
  const interruptId = fields.string('approval_request_id', ID_LENGTH) ?? fields.string('id', ID_LENGTH);
  if (interruptId === undefined) throw fieldError(fields.at('approval_request_id'), 'is required', 'MISSING_PARAMETER');
  const approve = fields.boolean('approve');
  if (approve === undefined) throw fieldError(fields.at('approve'), 'is required', 'MISSING_PARAMETER');
  const reason = fields.string('reason', REASON_LENGTH);
  const edited = editedArguments(fields);
  return {
    interruptId,
    status: 'resolved',
    approve,
    ...(reason !== undefined && reason !== '' && { reason }),
    ...(edited !== undefined && { editedArguments: edited }),
  };
}

/** An object, or its JSON text: arguments travel as text everywhere else in this protocol. Its large integers are bigints. */
function editedArguments(fields: FieldReader): JsonObject | undefined {
  const given = fields.source['edited_arguments'];
  if (typeof given !== 'string') return fields.object('edited_arguments') as JsonObject | undefined;
  const value = parseFieldText(given, fields.at('edited_arguments'), null);
  if (isPlainObject(value)) return (exactObjectIn(given) ?? value) as JsonObject;
  throw fieldError(fields.at('edited_arguments'), 'must be an object or its JSON text');
}
