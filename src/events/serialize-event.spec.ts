import fc from 'fast-check';
import { serializeEvent, textMessage, type AgentEvent, type AgentResponse, type TextContent } from './index.js';

const delta: TextContent = {
  object: 'content',
  status: 'in_progress',
  error: null,
  type: 'text',
  index: 0,
  delta: true,
  msg_id: 'msg_A',
  text: 'It is',
};

describe('serializeEvent', () => {
  it('a text delta has its keys in the order of the wire', () => {
    expect(serializeEvent(delta)).toBe(
      '{"object":"content","status":"in_progress","error":null,"type":"text","index":0,"delta":true,"msg_id":"msg_A","text":"It is"}',
    );
  });

  it('the fast path gives the same JSON as the general one', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.option(fc.string()),
        fc.option(fc.nat()),
        fc.option(fc.boolean()),
        (text, msg_id, index, flag) => {
          const event = { ...delta, text, msg_id, index, delta: flag };
          expect(JSON.parse(serializeEvent(event))).toEqual(event);
          expect(serializeEvent(event)).toBe(
            serializeEvent({ ...event, status: 'completed' }).replace('"completed"', '"in_progress"'),
          );
        },
      ),
    );
  });

  it('responses, messages and contents have a fixed key order', () => {
    const message = textMessage({ id: 'msg_A', role: 'assistant', text: 'Hi' });
    const shuffled = Object.fromEntries(Object.entries(message).reverse());
    const response = {
      session_id: 's1',
      output: [shuffled],
      usage: null,
      completed_at: null,
      created_at: 7,
      id: 'response_1',
      status: 'in_progress',
      object: 'response',
    } as unknown as AgentResponse;
    expect(serializeEvent(response)).toBe(
      '{"object":"response","status":"in_progress","error":null,"id":"response_1","created_at":7,"completed_at":null,"output":[' +
        '{"object":"message","status":"completed","error":null,"id":"msg_A","type":"message","role":"assistant","content":[' +
        '{"object":"content","status":"completed","error":null,"type":"text","index":0,"delta":false,"msg_id":"msg_A","text":"Hi"}' +
        '],"code":null,"message":null,"usage":null,"metadata":null}],"usage":null,"session_id":"s1"}',
    );
  });

  it('absent fields are written as null', () => {
    const content = { object: 'content', type: 'file', file_url: 'https://example.com/a.pdf' } as unknown as AgentEvent;
    expect(serializeEvent(content)).toBe(
      '{"object":"content","status":null,"error":null,"type":"file","index":null,"delta":null,"msg_id":null,' +
        '"file_url":"https://example.com/a.pdf","file_id":null,"filename":null,"file_data":null}',
    );
  });

  it.each<AgentEvent>([
    { object: 'state', kind: 'snapshot', snapshot: { a: [1] } },
    { object: 'state', kind: 'snapshot', snapshot: null },
    { object: 'state', kind: 'delta', patch: [{ op: 'remove', path: '/a' }] },
    { object: 'step', name: 'plan', status: 'started' },
    { object: 'activity', kind: 'snapshot', id: 'a1', activity_type: 'PLAN', content: { steps: [] } },
    { object: 'activity', kind: 'delta', id: 'a1', activity_type: 'PLAN', patch: [] },
    { object: 'custom', name: 'run.recovered', value: { attempt: 2, discardedMessageIds: [] } },
    { object: 'custom', name: 'note', value: null },
    {
      object: 'interrupt',
      id: 'i1',
      reason: 'approval',
      message: null,
      call_ids: ['call_1'],
      response_schema: null,
      items: [],
    },
  ])('an extension event is kept and begins with its kind: %j', (event) => {
    const text = serializeEvent(event);
    expect(JSON.parse(text)).toEqual(event);
    expect(text.startsWith(`{"object":"${event.object}"`)).toBe(true);
    expect(text).not.toContain('\n');
  });
});
