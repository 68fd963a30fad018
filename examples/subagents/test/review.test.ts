import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { fail, say, scriptedModel, startTestServer } from 'parley-server/testing';
import { extensions } from '../src/extensions.js';

/** What each reviewer and the writer answer, by a word of their prompts. */
const ANSWERS: readonly (readonly [prompt: RegExp, answer: string])[] = [
  [/You check facts/, 'The year is wrong.'],
  [/You check clarity/, 'The second sentence is too long.'],
  [/You check the tone/, 'Nothing.'],
  [/better version/, 'A better text.'],
];

function answering(broken?: RegExp): ReturnType<typeof scriptedModel> {
  return scriptedModel(({ messages }) => {
    const prompt = JSON.stringify(messages[0]);
    if (broken?.test(prompt)) return fail(new Error('The model is unavailable'));
    return say(ANSWERS.find(([words]) => words.test(prompt))?.[1] ?? '');
  });
}

void test('three reviewers look at the text, and the writer reads what they found', async () => {
  const model = answering();
  const server = await startTestServer({ ...extensions, model });
  try {
    const run = await server.run('A text about the moon landing of 1970.', { agent: 'review' });
    assert.equal(run.state, 'completed');
    assert.match(run.text, /A better text\.$/);
    assert.equal(model.requests.length, 4);
    assert.match(JSON.stringify(model.requests.at(-1)?.messages[0]), /The year is wrong.*The second sentence/);

    const events = JSON.stringify(await run.frames('ag-ui'));
    for (const name of ['facts', 'clarity', 'tone']) assert.ok(events.includes(name), name);
  } finally {
    await server.close();
  }
});

void test('a reviewer that fails does not fail the run', async () => {
  const server = await startTestServer({ ...extensions, model: answering(/You check the tone/) });
  try {
    const run = await server.run('A text.', { agent: 'review' });
    assert.equal(run.state, 'completed');
    assert.match(run.text, /A better text\.$/);
  } finally {
    await server.close();
  }
});
