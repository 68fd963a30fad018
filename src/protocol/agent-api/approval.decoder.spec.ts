import { dataMessage, type Message, textMessage } from '../../events/index.js';
import type { AppError, JsonObject } from '../../common/index.js';
import { decodeAnswers } from './approval.decoder.js';

const answer = (data: JsonObject): Message =>
  dataMessage({ id: 'm', role: 'user', type: 'mcp_approval_response', data });
const hello = textMessage({ id: 'u', role: 'user', text: 'Hello' });
const said = textMessage({ id: 'a', role: 'assistant', text: 'Hi' });
const result = dataMessage({ id: 't', role: 'tool', type: 'plugin_call_output', data: { call_id: 'c', output: '' } });

function problem(data: JsonObject): string {
  try {
    decodeAnswers([answer(data)]);
    return 'none';
  } catch (error) {
    return (error as AppError).message;
  }
}

describe('decodeAnswers', () => {
  it('a decision is read by either name of the request id', () => {
    expect(decodeAnswers([hello, answer({ approval_request_id: 'a1', approve: true, reason: '' })])).toEqual([
      { interruptId: 'a1', status: 'resolved', approve: true },
    ]);
    expect(decodeAnswers([answer({ id: 'a1', approve: false, reason: 'no' })])).toEqual([
      { interruptId: 'a1', status: 'resolved', approve: false, reason: 'no' },
    ]);
  });

  it.each([[{ to: 'Ana' }], ['{"to":"Ana"}']])('edited arguments may be an object or text: %j', (edited) => {
    const [decoded] = decodeAnswers([answer({ id: 'a1', approve: true, edited_arguments: edited })]);
    expect(decoded?.editedArguments).toEqual({ to: 'Ana' });
  });

  it('the echoed call of a client is ignored', () => {
    const echo = { id: 'a1', approve: true, name: 'steal', arguments: '{"to":"Eve"}', server_label: 'x' };
    expect(decodeAnswers([answer(echo)])).toEqual([{ interruptId: 'a1', status: 'resolved', approve: true }]);
  });

  it('answers before the last output of the server are repetitions', () => {
    const old = answer({ id: 'old', approve: true });
    const fresh = answer({ id: 'new', approve: true });
    expect(decodeAnswers([hello, old, said, hello])).toEqual([]);
    expect(decodeAnswers([hello, old, result, fresh]).map(({ interruptId }) => interruptId)).toEqual(['new']);
    expect(decodeAnswers([hello, said])).toEqual([]);
  });

  it.each([
    [{ approve: true }, 'input[0].content[0].data.approval_request_id is required'],
    [{ id: 'a1' }, 'input[0].content[0].data.approve is required'],
    [{ id: 'a1', approve: 'yes' }, 'input[0].content[0].data.approve must be true or false, not a string'],
    [{ id: 5, approve: true }, 'input[0].content[0].data.id must be a string, not a number'],
    [{ id: '', approve: true }, 'input[0].content[0].data.id must have 1 to 256 characters'],
    [{ id: 'a1', approve: true, edited_arguments: '[1]' }, 'edited_arguments must be an object or its JSON text'],
    [{ id: 'a1', approve: true, reason: 'x'.repeat(2001) }, 'reason must have 0 to 2000 characters'],
  ])('%j is refused', (data, sentence) => {
    expect(problem(data)).toContain(sentence);
  });

  it('an answer without data is refused', () => {
    const empty = { ...answer({}), content: [] };
    expect(() => decodeAnswers([empty])).toThrow('input[0].content must have a data content with the answer');
  });
});
