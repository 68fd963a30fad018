import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { callTool, say, scriptedModel, startTestServer } from 'parley-server/testing';
import { extensions } from '../src/extensions.js';
import { Handbook } from '../src/handbook.js';

const QUESTIONS: readonly (readonly [question: string, file: string, heading: string])[] = [
  ['How much may a hotel cost?', 'travel.md', 'Hotels'],
  ['How many holidays do I have in a year?', 'holidays.md', 'Days'],
  ['I lost my laptop', 'equipment.md', 'Laptops'],
  ['When do I get my expenses back?', 'travel.md', 'Expenses'],
];

for (const [question, file, heading] of QUESTIONS) {
  void test(`the best passage for "${question}" is ${heading} in ${file}`, () => {
    const [best] = Handbook.read('documents').search(question);
    assert.deepEqual([best?.file, best?.heading], [file, heading]);
  });
}

void test('the model reads the passages before it answers', async () => {
  const model = scriptedModel([callTool('search_handbook', { question: 'hotel cost' }), say('140 euros (travel.md).')]);
  const server = await startTestServer({ ...extensions, model });
  try {
    const run = await server.run('How much may a hotel cost?', { agent: 'handbook' });
    assert.equal(run.text, '140 euros (travel.md).');
    assert.match(JSON.stringify(model.requests[1]?.messages.at(-1)), /up to 140 euros a night/);
  } finally {
    await server.close();
  }
});

void test('the model is told if the handbook says nothing', async () => {
  const model = scriptedModel([callTool('search_handbook', { question: 'xylophone' }), say('I do not know.')]);
  const server = await startTestServer({ ...extensions, model });
  try {
    const run = await server.run('Where is the xylophone?', { agent: 'handbook' });
    assert.match(run.toolCalls[0]?.output ?? '', /says nothing about this/);
  } finally {
    await server.close();
  }
});
