import OpenAI from 'openai';

/** Asks two questions; the second response continues from the first. */
export async function askTwice(baseURL: string): Promise<string> {
  const client = new OpenAI({ baseURL, apiKey: 'any' });
  const first = await client.responses.create({ model: 'worker', input: 'My name is Alice.' });
  const second = await client.responses.create({
    model: 'worker',
    previous_response_id: first.id,
    input: 'What is my name?',
  });
  return second.output_text;
}
