import fc from 'fast-check';
import { AppError } from '../../common/index.js';
import { AG_KIT_DIALECTS, type AgKitDialect } from './ag-kit.types.js';
import { dialectOf } from './dialect.js';

const codeOf = (body: unknown, pinned?: AgKitDialect): string => {
  try {
    return dialectOf(body, pinned);
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
};
const message = { role: 'user', content: 'hi' };

describe('the dialect of a request', () => {
  it.each([
    ['ag-kit', { conversationId: 'c1', messages: [message] }],
    ['ag-kit', { conversationId: 'c1', runId: 'r1' }],
    ['ag-kit', { conversationId: 'c1', threadId: null, msg: null }],
    ['ag-kit', { conversationId: 'c1', messages: [{ ...message, id: 'm1' }] }],
    ['ag-kit', { conversationId: 7 }],
    ['ag-ui', { threadId: 't1' }],
    ['ag-ui', { thread_id: 't1' }],
    ['ag-ui', { runId: 'r1', messages: [] }],
    ['ag-ui', { conversationId: 'c1', threadId: 't1' }],
    ['ag-ui', { threadId: 't1', msg: 'hi' }],
    ['ag-ui', { messages: [{ ...message, id: 'm1' }] }],
    ['bot', { msg: 'hi' }],
    ['bot', { msg: '', conversationId: 'c1' }],
    ['bot', { msg: 'hi', botId: 'b', messages: [] }],
    ['MISSING_PARAMETER', {}],
    ['MISSING_PARAMETER', { conversationId: null }],
    ['MISSING_PARAMETER', { msg: 7 }],
    ['MISSING_PARAMETER', { messages: [] }],
    ['MISSING_PARAMETER', { messages: [message, { ...message, id: 'm1' }] }],
    ['PARAMETER_VALIDATION', []],
    ['PARAMETER_VALIDATION', null],
    ['PARAMETER_VALIDATION', undefined],
    ['PARAMETER_VALIDATION', 'hi'],
  ])('the dialect is %s for %j', (expected, body) => {
    expect(codeOf(body)).toBe(expected);
  });

  it.each([
    ['ag-kit', 'ag-kit', { conversationId: 'c1', threadId: 't1' }],
    ['ag-kit', 'ag-kit', { msg: 'hi' }],
    ['ag-ui', 'ag-ui', { threadId: 't1', conversationId: 'c1' }],
    ['ag-ui', 'ag-ui', { messages: [message] }],
    ['ag-ui', 'MISSING_PARAMETER', { conversationId: 'c1', runId: 'r1', messages: [message] }],
    ['bot', 'bot', { msg: 'hi', threadId: 't1' }],
    ['bot', 'PARAMETER_VALIDATION', 'hi'],
  ] as const)('the dialect fixed to %s is %s for %j', (pinned, expected, body) => {
    expect(codeOf(body, pinned)).toBe(expected);
  });

  it('any request has one of three dialects or is refused', () => {
    const keys = fc.constantFrom('conversationId', 'threadId', 'thread_id', 'runId', 'run_id', 'msg', 'messages');
    const bodies = fc.oneof(fc.dictionary(keys, fc.jsonValue({ maxDepth: 3 })), fc.jsonValue());
    const answers = new Set<string>([...AG_KIT_DIALECTS, 'MISSING_PARAMETER', 'PARAMETER_VALIDATION']);
    fc.assert(fc.property(bodies, (body) => answers.has(codeOf(body))));
  });
});
