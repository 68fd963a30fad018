import { ScriptedLog } from '../../../test/support/scripted-log.js';
import type { LoggedEvent } from '../../events/index.js';
import { AiSdkEncoder } from './ai-sdk.encoder.js';

const RUN = { runId: 'r1', createdAt: 0 };

/** The log of a run whose tool has begun, of a model that reports no usage; and the messages of its first step. */
function working(): { events: LoggedEvent[]; step: Set<string> } {
  const log = new ScriptedLog();
  log.response.inProgress();
  const said = log.response.createMessageBuilder();
  said.createContentBuilder().addTextDelta('Let me look.');
  said.complete();
  const made = log.response.createMessageBuilder('assistant', 'plugin_call');
  made.createContentBuilder('data').addDataDelta({ call_id: 'k1', name: 'look', arguments: '{}' });
  made.complete();
  return { events: log.logged(), step: new Set([said.id, made.id]) };
}

function typesOf(kept: ReadonlySet<string> | undefined): string[] {
  const { events } = working();
  const encoder = new AiSdkEncoder({
    run: RUN,
    level: 6,
    hasMetadata: false,
    isStatic: () => false,
    shown: (content) => content,
    before: { messageId: 'answer_r1', earlier: [], outputs: [], discarded: new Set(), decided: [], kept },
    from: 1,
    logged: events.length - 1,
  });
  return events
    .flatMap((event) => encoder.next(event))
    .map((frame) => (JSON.parse(frame.slice('data: '.length)) as { type: string }).type);
}

describe('AiSdkEncoder', () => {
  it('shows at once what stays, also where its worker may be lost and the model has reported no usage', () => {
    const whole = typesOf(undefined);
    expect(whole.at(-1)).toBe('tool-input-available');
    expect(typesOf(working().step)).toEqual(whole);
  });

  it('holds back what may be written again', () => {
    expect(typesOf(new Set())).toEqual(['start']);
  });
});
