import { ParleyClient } from '../../src/client/index.js';

/** Starts a run and prints its text while it comes, over any number of lost connections. */
export async function ask(baseUrl: string, question: string): Promise<string> {
  const parley = new ParleyClient({ baseUrl });
  const run = await parley.start({ agent: 'worker', message: question });
  let text = '';
  for await (const { event } of parley.follow(run)) {
    if (event.type === 'TEXT_MESSAGE_CONTENT') text += String(event['delta']);
  }
  return text;
}

/** Denies everything that waits for an approval. */
export async function denyAll(baseUrl: string): Promise<number> {
  const parley = new ParleyClient({ baseUrl });
  let count = 0;
  for await (const { id } of parley.interrupts({ status: 'pending' })) {
    await parley.answer(id, { approve: false, reason: 'Not today' });
    count += 1;
  }
  return count;
}
