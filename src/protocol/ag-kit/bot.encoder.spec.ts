import { ScriptedLog } from '../../../test/support/scripted-log.js';
import { AgKitEncoder } from './ag-kit.encoder.js';
import { BotEncoder } from './bot.encoder.js';

describe('the refusal of a model', () => {
  const log = new ScriptedLog();
  log.response.inProgress();
  const message = log.response.createMessageBuilder();
  message.createContentBuilder('refusal').addRefusalDelta('I cannot help.');
  message.complete();
  log.response.completed();

  it.each([
    ['the original dialect', new AgKitEncoder(), { type: 'text', content: 'I cannot help.' }],
    ['the bot dialect', new BotEncoder(), { type: 'text', content: 'I cannot help.', finish_reason: 'continue' }],
  ])('a refusal is shown as text in %s', (_, encoder, event) => {
    const [first] = log.logged().flatMap((logged) => encoder.next(logged));
    expect(JSON.parse((first ?? '').slice('data: '.length))).toMatchObject(event);
  });
});
