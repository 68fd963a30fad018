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

/** `failed` is missing on purpose: only `mcp_call` items have it. */
const STATUS = word('in_progress', 'completed', 'incomplete');

/** The fields of each type of output item besides `id` and `type`. */
const MEMBERS: Readonly<Record<string, DtoMembers>> = {
  message: { status: STATUS, role: word('assistant'), content: objects, 'phase?': word('commentary', 'final_answer') },
  reasoning: { status: STATUS, summary: objects },
  function_call: { status: STATUS, call_id: string, name: string, arguments: string },
  mcp_call: {
    status: word('in_progress', 'completed', 'incomplete', 'failed'),
    server_label: string,
    name: string,
    arguments: string,
    output: nullableString,
    error: { ...object, nullable: true },
    approval_request_id: nullableString,
  },
  mcp_list_tools: { server_label: string, tools: objects, 'error?': string },
  compaction: { encrypted_content: string },
  mcp_approval_request: { server_label: string, name: string, arguments: string },
};

/** The class of each type of output item. */
const ITEMS = Object.fromEntries(
  Object.entries(MEMBERS).map(([type, members]): [string, Type] => [
    type,
    madeDto(dtoName(type, 'Item'), { id: string, type: word(type), ...members }),
  ]),
);

/** The item types as classes, for `ApiExtraModels`: without it their schemas are missing from the document. */
export const ITEM_DTOS: readonly Type[] = Object.values(ITEMS);

/** The schema of any output item. */
export function itemSchema() {
  return {
    oneOf: ITEM_DTOS.map((dto) => ({ $ref: getSchemaPath(dto) })),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(Object.entries(ITEMS).map(([type, dto]) => [type, getSchemaPath(dto)])),
    },
  };
}

/** The tokens that a response used. */
export const UsageDto = madeDto('ResponseUsage', {
  input_tokens: integer,
  input_tokens_details: object,
  output_tokens: integer,
  output_tokens_details: object,
  total_tokens: integer,
});
