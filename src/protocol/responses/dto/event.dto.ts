import type { Type } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';
import {
  type DtoMembers,
  dtoName,
  integer,
  madeDto,
  nullableString,
  object,
  objects,
  string,
  word,
} from '../../openai/index.js';
import { itemSchema } from './item.dto.js';
import { ResponseDto } from './response.dto.js';

/** Events with the whole response: those of its life cycle. */
const WHOLE: DtoMembers = { response: { type: ResponseDto } };
/** Events with a whole item: `output_item.added` and `output_item.done`. */
const ITEM: DtoMembers = { output_index: integer, item: itemSchema() };
/** Events about one item, which they name by its id and by its position in `output`. */
const WITHIN: DtoMembers = { item_id: string, output_index: integer };
/** Events about one part of a message's `content`. */
const PART: DtoMembers = { ...WITHIN, content_index: integer };
/** Events about one part of a reasoning item's `summary`. */
const SUMMARY: DtoMembers = { ...WITHIN, summary_index: integer };

/** The fields of each event besides `type` and `sequence_number`. */
const MEMBERS: Readonly<Record<string, DtoMembers>> = {
  'response.created': WHOLE,
  'response.queued': WHOLE,
  'response.in_progress': WHOLE,
  'response.output_item.added': ITEM,
  'response.output_item.done': ITEM,
  'response.content_part.added': { ...PART, part: object },
  'response.content_part.done': { ...PART, part: object },
  'response.output_text.delta': { ...PART, delta: string, logprobs: objects },
  'response.output_text.done': { ...PART, text: string, logprobs: objects },
  'response.output_text.annotation.added': { ...PART, annotation_index: integer, annotation: object },
  'response.refusal.delta': { ...PART, delta: string },
  'response.refusal.done': { ...PART, refusal: string },
  'response.reasoning_summary_part.added': { ...SUMMARY, part: object },
  'response.reasoning_summary_part.done': { ...SUMMARY, part: object },
  'response.reasoning_summary_text.delta': { ...SUMMARY, delta: string },
  'response.reasoning_summary_text.done': { ...SUMMARY, text: string },
  'response.function_call_arguments.delta': { ...WITHIN, delta: string },
  'response.function_call_arguments.done': { ...WITHIN, arguments: string, name: string },
  'response.mcp_list_tools.in_progress': WITHIN,
  'response.mcp_list_tools.completed': WITHIN,
  'response.mcp_list_tools.failed': WITHIN,
  'response.mcp_call.in_progress': WITHIN,
  'response.mcp_call_arguments.delta': { ...WITHIN, delta: string },
  'response.mcp_call_arguments.done': { ...WITHIN, arguments: string },
  'response.mcp_call.completed': WITHIN,
  'response.mcp_call.failed': WITHIN,
  'response.compaction.compacting': WITHIN,
  'response.completed': WHOLE,
  'response.failed': WHOLE,
  'response.incomplete': WHOLE,
  error: { code: string, message: string, param: nullableString, error: object },
};

/** The classes by the `type` of the event; `sequence_number` is in every event. */
const EVENTS = Object.fromEntries(
  Object.entries(MEMBERS).map(([type, members]): [string, Type] => [
    type,
    madeDto(dtoName(type, 'Event'), { type: word(type), sequence_number: integer, ...members }),
  ]),
);

/** The types of all events. */
export const EVENT_TYPES: readonly string[] = Object.keys(EVENTS);

/** All event classes, for `ApiExtraModels`. */
export const EVENT_DTOS: readonly Type[] = Object.values(EVENTS);

/** The schema of any event. */
export function eventSchema() {
  return {
    oneOf: EVENT_DTOS.map((dto) => ({ $ref: getSchemaPath(dto) })),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(Object.entries(EVENTS).map(([type, dto]) => [type, getSchemaPath(dto)])),
    },
  };
}
