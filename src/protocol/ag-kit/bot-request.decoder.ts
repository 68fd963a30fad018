import { AppError, type JsonObject } from '../../common/index.js';
import { type Message, textMessage } from '../../events/index.js';
import { FieldReader, fieldError, fieldReaderAt } from '../http/field-reader.js';
import { extrasOf } from './ag-kit-request.decoder.js';

const MAX_HISTORY = 1000;
const NAME_LENGTH = { min: 1, max: 256 };
const ROLES = ['user', 'assistant', 'system'] as const;
const KNOWN: ReadonlySet<string> = new Set([
  ...['msg', 'history', 'files', 'searchEnable', 'conversationId', 'botId', 'user_id', 'userId'],
]);

/** A decoded request of dialect C. */
export interface BotRequest {
  /** Without it, a new conversation is created. */
  readonly conversationId: string | undefined;
  /** The conversation as the client knows it; used only if the server does not know the conversation. */
  readonly history: readonly Message[];
  readonly message: Message;
  readonly forwardedProps: JsonObject;
}

/**
 * Decodes a request of the older bot dialect, text only (contract ag-kit, section 5).
 *
 * @param seed what message ids are derived from: another one for every request
 * @throws AppError MISSING_PARAMETER, PARAMETER_VALIDATION (wrong type), INVALID_PARAMETER (files)
 */
export function decodeBotRequest(body: Readonly<Record<string, unknown>>, seed: string): BotRequest {
  const fields = new FieldReader(body, '');
  const text = fields.string('msg');
  if (text === undefined) throw fieldError('msg', 'is required', 'MISSING_PARAMETER');
  if ((fields.list('files', MAX_HISTORY) ?? []).length > 0) {
    throw new AppError('INVALID_PARAMETER', 'files are not supported in this dialect');
  }
  const history = (fields.list('history', MAX_HISTORY) ?? []).map((item, index) => {
    const own = fieldReaderAt(item, `history[${index}]`);
    const role = ROLES.find((one) => one === own.string('role'));
    if (!role) throw fieldError(own.at('role'), `must be one of ${ROLES.join(', ')}`, 'INVALID_PARAMETER');
    return textMessage({ id: `msg_${seed}_${index}`, role, text: own.string('content') ?? '' });
  });
  return {
    conversationId: fields.string('conversationId', NAME_LENGTH),
    history,
    message: textMessage({ id: `msg_${seed}`, role: 'user', text }),
    forwardedProps: extrasOf(body, KNOWN),
  };
}
