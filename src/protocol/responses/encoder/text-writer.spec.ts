import type { WireItem } from '../../../../test/support/responses-reader.js';
import type { ScriptedLog } from '../../../../test/support/scripted-log.js';
import { begun, call, encode, outcome, say } from '../testing/encoded.js';

/** What contract responses, section A3, says of the texts of a response. */
describe('the texts of a response', () => {
  it('the sources of a text are its annotations', () => {
    const log = begun();
    const message = log.response.createMessageBuilder();
    message.createContentBuilder().addTextDelta('It is 18 °C.');
    const citation = { url: 'https://example.org/a', title: 'A', start_index: 6, end_index: 11 };
    message.complete({ metadata: { citations: [citation] } });
    log.response.completed();
    const { reader } = encode(log.logged());
    const annotation = { type: 'url_citation', ...citation };
    expect(reader.types.slice(4, 8)).toEqual([
      'response.output_text.delta',
      'response.output_text.annotation.added',
      'response.output_text.done',
      'response.content_part.done',
    ]);
    expect(reader.events[5]).toMatchObject({ item_id: 'msg_1', content_index: 0, annotation_index: 0, annotation });
    const part = { type: 'output_text', text: 'It is 18 °C.', annotations: [annotation], logprobs: [] };
    expect(reader.events[7]).toMatchObject({ part });
    expect(reader.events[8]).toMatchObject({ item: { content: [part] } });
    expect(reader.ended?.output).toMatchObject([{ content: [part] }]);
  });

  it('a text before further work is commentary, the last one is the final answer, and one that is cut is neither', () => {
    const phases = (end: (log: ScriptedLog) => void): unknown => {
      const log = begun();
      say(log, 'I will look.');
      call(log, 'plugin_call', 'call_1', 'get_weather');
      outcome(log, 'plugin_call_output', 'call_1', 'Sunny');
      say(log, 'It is sunny.');
      end(log);
      const { reader } = encode(log.logged());
      const streamed = reader.events.filter(({ type }) => type === 'response.output_item.done');
      const texts = (items: readonly unknown[]): unknown[] =>
        (items as WireItem[]).filter(({ type }) => type === 'message').map(({ phase }) => phase);
      const whole = texts(reader.ended?.output ?? []);
      expect(texts(streamed.map(({ item }) => item))).toEqual(whole);
      return whole;
    };
    expect(phases((log) => log.response.completed())).toEqual(['commentary', 'final_answer']);
    expect(phases((log) => log.response.canceled())).toEqual(['commentary', undefined]);
    expect(phases((log) => log.response.incomplete({ code: 'max_output_tokens', message: '' }))).toEqual([
      'commentary',
      undefined,
    ]);
    const card = (log: ScriptedLog): void => {
      log.response.createMessageBuilder('assistant', 'a2ui_response').complete();
      log.response.completed();
    };
    expect(phases(card)).toEqual(['commentary', 'final_answer']);
  });
});
