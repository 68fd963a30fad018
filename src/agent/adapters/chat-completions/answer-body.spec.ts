import type { Dispatcher } from 'undici';
import { AnswerBody } from './answer-body.js';

const KILOBYTE = 1024;

/** An answer whose chunks have a kilobyte each. */
function openAnswer() {
  const controller = {
    paused: false,
    pause: () => (controller.paused = true),
    resume: () => (controller.paused = false),
  };
  let arrivals = 0;
  const answer = new AnswerBody(
    () => (arrivals += 1),
    () => undefined,
  );
  const undici = controller as unknown as Dispatcher.DispatchController;
  answer.onRequestStart(undici);
  answer.onResponseStart(undici, 200, {});
  return {
    answer,
    controller,
    arrivals: () => arrivals,
    /** Sends chunks until the answer is paused, and returns how many were sent. */
    fill: (): number => {
      let chunks = 0;
      for (; !controller.paused; chunks += 1) answer.onResponseData(undici, Buffer.alloc(KILOBYTE));
      return chunks;
    },
  };
}

describe('AnswerBody', () => {
  it('holds few bytes until they are read, then as many as were read before', () => {
    const { answer, controller, fill } = openAnswer();
    expect(fill()).toBe(9);
    expect(answer.read()).toHaveLength(9);
    expect(controller.paused).toBe(false);
    expect(fill()).toBe(10);
    answer.read();
    expect(fill()).toBe(20);
  });

  it('holds 256 KB at most', () => {
    const { answer, fill } = openAnswer();
    let held = 0;
    for (let read = 0; read < 12; read += 1) {
      held = fill();
      answer.read();
    }
    expect(held).toBe(257);
  });

  it('notifies once about what arrives together', async () => {
    const { answer, arrivals, fill } = openAnswer();
    fill();
    expect(arrivals()).toBe(0);
    await Promise.resolve();
    expect(arrivals()).toBe(1);
    answer.read();
    fill();
    await Promise.resolve();
    expect(arrivals()).toBe(2);
  });
});
