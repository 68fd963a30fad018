import { readSettings } from '../config/index.js';
import { ModelSettings } from './model.settings.js';

const read = (env: Record<string, string>): ModelSettings =>
  readSettings(ModelSettings, { LLM_BASE_URL: 'http://127.0.0.1:1', ...env });

describe('the settings of the model server in JSON', () => {
  it('they are read', () => {
    const { compat, headers, profile } = read({
      LLM_COMPAT: '{"limit":"max_completion_tokens"}',
      LLM_HEADERS: '{"HTTP-Referer":"https://chat.example.org","X-Title":"Parley"}',
      LLM_PROFILE: 'azure+gpt-5',
    }).main;
    expect(compat).toEqual({ limit: 'max_completion_tokens' });
    expect(headers).toEqual({ 'HTTP-Referer': 'https://chat.example.org', 'X-Title': 'Parley' });
    expect(profile).toBe('azure+gpt-5');
  });

  it('nothing is the default', () => {
    expect([read({}).main.compat, read({}).main.headers]).toEqual([undefined, {}]);
  });

  it.each([
    ['LLM_COMPAT', 'limit', 'must be valid JSON'],
    ['LLM_COMPAT', '[]', 'must be a JSON object'],
    ['LLM_HEADERS', '{"x":', 'must be valid JSON'],
    ['LLM_HEADERS', '"s3cret"', 'must be a JSON object'],
    ['LLM_HEADERS', '{"a b":"s3cret"}', 'whose names are names of headers'],
    ['LLM_HEADERS', '{"x":1,"s3cret":2}', 'must have a text of one line for the header x'],
    ['LLM_HEADERS', '{"x":"s3cret\\r\\ny: z"}', 'must have a text of one line for the header x'],
    ['LLM_HEADERS', '{"Content-Length":"0"}', 'cannot set the header Content-Length'],
  ])('%s=%s is refused without its value: %s', (name, value, message) => {
    expect(() => read({ [name]: value })).toThrow(message);
    expect(() => read({ [name]: value })).toThrow(new RegExp(`^((?!s3cret)[\\s\\S])*$`));
  });
});
