import { dataOf } from '../../../events/index.js';
import { toHttpError } from '../../http/errors/http-error.js';
import { historyItems } from '../items/output-items.js';
import { HISTORY_VIEW } from '../items/item.types.js';
import { itemSources } from '../testing/encoded.js';
import { decodeInputItem } from './input-item.decoder.js';

const decode = (item: unknown): ReturnType<typeof decodeInputItem> => decodeInputItem(item, 'input[0]', itemSources());

function refusalOf(item: unknown): unknown[] {
  try {
    decode(item);
  } catch (error) {
    const { status, code, details } = toHttpError(error);
    return [status, code, details?.[0]?.path];
  }
  return [];
}

/** Type, role and what a message says, of each message that an item stands for. */
function said(item: unknown): unknown[] {
  const entry = decode(item);
  if (entry.kind !== 'messages') return [entry];
  return entry.messages.map((message) => [
    message.type,
    message.role,
    message.content?.map((part) => (part.type === 'text' ? part.text : (dataOf(message) ?? part.type))),
  ]);
}

const user = (content: unknown): object => ({ role: 'user', content });

describe('the input item decoder', () => {
  it.each<[string, unknown, unknown[]]>([
    ['a message without a type', user('Hi'), [['message', 'user', ['Hi']]]],
    ['a developer, who is a system', { role: 'developer', content: 'Be brief' }, [['message', 'system', ['Be brief']]]],
    [
      'an answer that comes back',
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_9',
        content: [{ type: 'output_text', text: 'Yes', annotations: [] }],
      },
      [['message', 'assistant', ['Yes']]],
    ],
    [
      'a refusal',
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }] },
      [['message', 'assistant', ['refusal']]],
    ],
    [
      'all kinds of parts',
      user([
        { type: 'input_text', text: 'See' },
        { type: 'input_image', image_url: 'https://example.org/a.png' },
        { type: 'input_image', image_url: { url: 'https://example.org/a.png' } },
        { type: 'input_file', file_url: 'https://example.org/a.pdf' },
        { type: 'input_file', file_data: 'data:,x', filename: 'x.txt' },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
        { type: 'input_video', video_url: 'https://example.org/a.mp4' },
      ]),
      [['message', 'user', ['See', 'image', 'image', 'file', 'file', 'audio', 'video']]],
    ],
    [
      'a call of the client',
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', id: 'fc_1', status: 'completed' },
      [['function_call', 'assistant', [{ call_id: 'c', name: 'f', arguments: '{}' }]]],
    ],
    [
      'arguments that are no text',
      { type: 'function_call', call_id: 'c', name: 'f', arguments: { a: 1 } },
      [['function_call', 'assistant', [{ call_id: 'c', name: 'f', arguments: '{"a":1}' }]]],
    ],
    [
      'an output in parts',
      {
        type: 'function_call_output',
        call_id: 'c',
        output: [
          { type: 'input_text', text: 'a' },
          { type: 'x', b: 1 },
        ],
      },
      [['function_call_output', 'tool', [{ call_id: 'c', output: 'a\n{"type":"x","b":1}' }]]],
    ],
    [
      'a custom call',
      { type: 'custom_tool_call', call_id: 'c', name: 'f', input: 'free text' },
      [['plugin_call', 'assistant', [{ call_id: 'c', name: 'f', arguments: 'free text' }]]],
    ],
    [
      'a reasoning with a summary, a content and what only another server reads',
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Hm' }],
        content: [{ type: 'reasoning_text', text: 'So' }],
        encrypted_content: 'gAAAA',
      },
      [['reasoning', 'assistant', ['Hm', 'So']]],
    ],
    [
      'a call of a server with its failure',
      {
        type: 'mcp_call',
        id: 'mcp_1',
        server_label: 's',
        name: 'f',
        arguments: '{}',
        output: null,
        error: { type: 'x' },
      },
      [
        ['mcp_call', 'assistant', [{ call_id: 'msg_1', name: 'f', arguments: '{}', server_label: 's' }]],
        ['mcp_call_output', 'tool', [{ call_id: 'msg_1', name: 'f', output: '{"type":"x"}' }]],
      ],
    ],
    [
      'a call of a server without its output',
      { type: 'mcp_call', id: 'mcp_1', server_label: 's', name: 'f', arguments: '{}', error: null },
      [expect.objectContaining({ kind: 'call', id: 'mcp_1', messages: [expect.objectContaining({ id: 'msg_1' })] })],
    ],
    [
      'an approval',
      { type: 'mcp_approval_response', approval_request_id: 'apr_1', approve: false, reason: 'no' },
      [['mcp_approval_response', 'user', [{ approval_request_id: 'apr_1', approve: false, reason: 'no' }]]],
    ],
    [
      'a compaction of this server',
      { type: 'compaction', encrypted_content: 'sealed:Alice' },
      [['message', 'system', ['Alice']]],
    ],
    [
      'a kind there is not',
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      [['reasoning', 'assistant', []]],
    ],
    ['a reference', { type: 'item_reference', id: 'msg_7' }, [{ kind: 'reference', id: 'msg_7', path: 'input[0]' }]],
    ['a mere id', { id: 'rs_7' }, [{ kind: 'reference', id: 'rs_7', path: 'input[0]' }]],
  ])('%s is accepted', (_name, item, expected) => {
    expect(said(item)).toEqual(expected);
  });

  it.each<[string, unknown, string, string]>([
    ['a text', 'Hi', 'PARAMETER_VALIDATION', 'input[0]'],
    ['null', null, 'PARAMETER_VALIDATION', 'input[0]'],
    ['a list', [], 'PARAMETER_VALIDATION', 'input[0]'],
    ['nothing that tells its kind', { text: 'Hi' }, 'MISSING_PARAMETER', 'input[0].type'],
    ['a kind that is no text', { type: 7 }, 'PARAMETER_VALIDATION', 'input[0].type'],
    ['a role there is not', { role: 'root', content: 'Hi' }, 'INVALID_PARAMETER', 'input[0].role'],
    ['a role from a prototype', { role: 'constructor', content: 'Hi' }, 'INVALID_PARAMETER', 'input[0].role'],
    ['a message without content', { role: 'user' }, 'MISSING_PARAMETER', 'input[0].content'],
    ['content that is a number', user(7), 'PARAMETER_VALIDATION', 'input[0].content'],
    ['a part that is a text', user(['Hi']), 'PARAMETER_VALIDATION', 'input[0].content[0]'],
    ['a part without a kind', user([{ text: 'Hi' }]), 'MISSING_PARAMETER', 'input[0].content[0].type'],
    ['a part of a kind there is not', user([{ type: 'toString' }]), 'INVALID_PARAMETER', 'input[0].content[0].type'],
    ['a text part without text', user([{ type: 'input_text' }]), 'MISSING_PARAMETER', 'input[0].content[0].text'],
    ['an image without a place', user([{ type: 'input_image' }]), 'MISSING_PARAMETER', 'input[0].content[0].image_url'],
    ['a file without anything', user([{ type: 'input_file' }]), 'MISSING_PARAMETER', 'input[0].content[0].file_url'],
    [
      'a call without an id',
      { type: 'function_call', name: 'f', arguments: '' },
      'MISSING_PARAMETER',
      'input[0].call_id',
    ],
    [
      'a call without arguments',
      { type: 'function_call', call_id: 'c', name: 'f' },
      'MISSING_PARAMETER',
      'input[0].arguments',
    ],
    [
      'an output without output',
      { type: 'function_call_output', call_id: 'c' },
      'MISSING_PARAMETER',
      'input[0].output',
    ],
    [
      'an output that is a number',
      { type: 'function_call_output', call_id: 'c', output: 1 },
      'PARAMETER_VALIDATION',
      'input[0].output',
    ],
    [
      'an approval that does not say',
      { type: 'mcp_approval_response', approval_request_id: 'a' },
      'MISSING_PARAMETER',
      'input[0].approve',
    ],
    [
      'an approval of nothing',
      { type: 'mcp_approval_response', approve: true },
      'MISSING_PARAMETER',
      'input[0].approval_request_id',
    ],
    ['a reference to nothing', { type: 'item_reference' }, 'MISSING_PARAMETER', 'input[0].id'],
    ['an id that is too long', { id: 'x'.repeat(251) }, 'INVALID_PARAMETER', 'input[0].id'],
    ['an id with a NUL', { id: 'a\0b' }, 'INVALID_PARAMETER', 'input[0].id'],
    [
      'a compaction of another server',
      { type: 'compaction', encrypted_content: 'gAAAA' },
      'INVALID_PARAMETER',
      'input[0].encrypted_content',
    ],
    ['a compaction of nothing', { type: 'compaction' }, 'MISSING_PARAMETER', 'input[0].encrypted_content'],
    ['an unknown phase', { role: 'assistant', content: 'Yes', phase: 'last' }, 'INVALID_PARAMETER', 'input[0].phase'],
  ])('%s is refused', (_name, item, code, path) => {
    expect(refusalOf(item)).toEqual([400, code, path]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a message', { id: 'msg_1', type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
    [
      'an answer with its phase',
      {
        id: 'msg_2',
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hm' }],
        phase: 'commentary',
      },
    ],
    ['an output', { id: 'fco_1', type: 'function_call_output', call_id: 'c', output: 'done' }],
    ['a reasoning', { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm' }] }],
    ['a kind it does not know', { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { query: 'x' } }],
    ['a compaction', { id: 'cmp_1', type: 'compaction', encrypted_content: 'sealed:x' }],
  ])('%s is listed unchanged', (_name, item) => {
    const entry = decode(item);
    expect(entry.kind === 'messages' && historyItems(entry.messages, HISTORY_VIEW)).toMatchObject([item]);
  });
});
