import fc from 'fast-check';
import { isTerminalStatus, LoggedEvent, RUN_RECOVERED } from '../../events/index.js';
import { calls, endings, Interpreter } from '../../events/testing/random-program.js';
import { ScriptedLog } from '../../../test/support/scripted-log.js';
import { AgKitEncoder } from './ag-kit.encoder.js';
import { BotEncoder } from './bot.encoder.js';
import { AgKitHook, agKitEvents } from './testing/ag-kit-hook.js';

/** One step of a run that uses tools, on one of three calls. */
const STEPS = ['start', 'piece', 'piece', 'end', 'result', 'say', 'lose'] as const;
const programs = fc.array(fc.record({ what: fc.constantFrom(...STEPS), which: fc.nat(2) }), { maxLength: 30 });

const ARGUMENTS = '{"to":"Ana","amount":5}';

/** A run that makes calls in parallel, loses its worker now and then, and makes the lost ones again. */
class ToolRun {
  readonly log = new ScriptedLog();
  readonly results = new Map<string, string>();
  readonly ended = new Set<string>();
  private readonly open = new Map<string, { id: string; position: number; piece(text: string): void; end(): void }>();
  private round = 0;

  constructor() {
    this.log.response.inProgress();
  }

  step({ what, which }: { what: (typeof STEPS)[number]; which: number }): void {
    const id = `k${this.round}_${which}`;
    const call = this.open.get(id);
    if (what === 'start' && !call && !this.ended.has(id)) this.start(id);
    else if (what === 'piece' && call) {
      call.piece(ARGUMENTS.slice(call.position, (call.position += 4)));
    } else if (what === 'end' && call) {
      call.piece(ARGUMENTS.slice(call.position));
      call.end();
      this.open.delete(id);
      this.ended.add(id);
    } else if (what === 'result' && this.ended.has(id) && !this.results.has(id)) this.result(id);
    else if (what === 'say' && this.open.size === 0) this.say();
    else if (what === 'lose') this.lose();
  }

  /** What a run does before it completes. */
  endCalls(): void {
    for (const which of [0, 1, 2]) this.step({ what: 'end', which });
  }

  private start(id: string): void {
    const message = this.log.response.createMessageBuilder('assistant', 'plugin_call');
    const content = message.createContentBuilder('data');
    content.addDataDelta({ call_id: id, name: 'pay', arguments: '' });
    const piece = (text: string): void => {
      if (text !== '') content.addDataDelta({ arguments: text });
    };
    this.open.set(id, { id: message.id, position: 0, piece, end: () => message.complete() });
  }

  private result(id: string): void {
    const output = `result of ${id}`;
    const message = this.log.response.createMessageBuilder('tool', 'plugin_call_output');
    message.createContentBuilder('data').addDataDelta({ call_id: id, name: 'pay', output });
    message.complete();
    this.results.set(id, output);
  }

  /** The model speaks when its calls have their results; then comes another round. */
  private say(): void {
    for (const id of this.ended) if (!this.results.has(id)) this.result(id);
    const message = this.log.response.createMessageBuilder();
    message.createContentBuilder().addTextDelta('So. ');
    message.complete();
    this.round += 1;
  }

  private lose(): void {
    const discardedMessageIds = [...this.open.values()].map(({ id }) => id);
    this.open.clear();
    this.log.response.discard(discardedMessageIds);
    this.log.events.push({ object: 'custom', name: RUN_RECOVERED, value: { attempt: 2, discardedMessageIds } });
  }
}

describe('the AG-Kit dialects of any log', () => {
  it('keep the order that the hook needs, and lose no call and no result', () => {
    fc.assert(
      fc.property(programs, endings, (program, ending) => {
        const run = new ToolRun();
        for (const step of program) run.step(step);
        const error = { code: 'AGENT_ERROR', message: 'boom' };
        if (ending === 'completed') run.endCalls();
        if (ending === 'completed' || ending === 'canceled') run.log.response[ending]();
        else run.log.response[ending](error);
        const { events, done } = agKitEvents(new AgKitEncoder(), run.log.logged());
        expect(done).toBe(true);
        const hook = new AgKitHook();
        for (const event of events) hook.read(event);
        const seen = [...hook.calls.values()];
        expect(new Set(seen.filter(({ isEnded }) => isEnded).map(({ id }) => id))).toEqual(run.ended);
        for (const { id, args, isEnded } of seen) {
          if (isEnded) expect([id, args]).toEqual([id, ARGUMENTS]);
          else expect(ARGUMENTS.startsWith(args)).toBe(true);
        }
        for (const [id, result] of run.results) expect(hook.calls.get(id)?.result).toBe(result);
        expect(hook.error !== undefined).toBe(ending !== 'completed');
      }),
      { numRuns: 300 },
    );
  });

  it('are frames that end with [DONE], the same from the same log', () => {
    fc.assert(
      fc.property(calls, endings, (program, ending) => {
        const interpreter = new Interpreter();
        interpreter.run(program);
        interpreter.try(() => interpreter.end(ending));
        const log = interpreter.texts.map((text, seq) => new LoggedEvent(seq, text));
        const isOver = log.some(({ event }) => event.object === 'response' && isTerminalStatus(event.status));
        for (const encoder of [AgKitEncoder, BotEncoder]) {
          const read = agKitEvents(new encoder(), log);
          expect(read.done).toBe(isOver);
          expect(agKitEvents(new encoder(), log)).toEqual(read);
        }
      }),
      { numRuns: 150 },
    );
  });
});
