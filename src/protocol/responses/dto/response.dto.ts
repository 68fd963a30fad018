import {
  type DtoMembers,
  integer,
  madeDto,
  nullableInteger,
  nullableString,
  object,
  objects,
  string,
  word,
} from '../../openai/index.js';
import { responseMembers } from '../request/options.js';
import { itemSchema, UsageDto } from './item.dto.js';

/** Every key is always present (contract responses, section A3), so no property is optional. */
const MEMBERS: DtoMembers = {
  id: string,
  object: word('response'),
  created_at: { ...integer, description: 'Seconds since the epoch.' },
  completed_at: nullableInteger,
  status: word('queued', 'in_progress', 'completed', 'failed', 'incomplete', 'cancelled'),
  error: { ...object, nullable: true },
  incomplete_details: { ...object, nullable: true },
  ...responseMembers(),
  output: { type: 'array', items: itemSchema() },
  usage: { type: UsageDto, nullable: true },
};

/** A response, with every key. */
export const ResponseDto = madeDto('ResponseObject', MEMBERS);

/** The inner object of an error body (contract responses, section A4). */
const ErrorDto = madeDto('ResponsesErrorDetail', {
  message: string,
  type: string,
  param: nullableString,
  code: nullableString,
});

/** The body of every error before a stream. */
export const ResponsesErrorDto = madeDto('OpenAiError', { error: { type: ErrorDto } });

/** The estimated number of input tokens. */
export const InputTokensDto = madeDto('ResponseInputTokens', {
  object: word('response.input_tokens'),
  input_tokens: { ...integer, description: "An estimate; the provider's own count can differ." },
});

/** A conversation that was shortened. */
export const CompactionDto = madeDto('ResponseCompaction', {
  id: { ...string, description: 'Not stored: it cannot be retrieved.' },
  object: word('response.compaction'),
  created_at: { ...integer, description: 'Seconds since the epoch.' },
  output: { ...objects, description: "The user's messages, then one `compaction` item." },
  usage: { type: UsageDto },
});
