/** The runs that screenshots show: conversations over several wires, an approval and a question that wait. */

const CONVERSATIONS = /** @type {const} */ ([
  ['maria', 'process', 'Hello, what can you do?'],
  ['jonas', 'responses', 'Explain durable runs in one sentence'],
  ['anonymous', 'runs', 'What is the weather in Oslo?'],
  ['amina', 'ag-ui', 'What meetings do I have this week?'],
  ['jonas', 'process', 'Summarise our travel policy for new colleagues'],
  ['amina', 'responses', 'What is the weather in Lisbon and Porto?'],
  ['maria', 'ag-ui', 'Thank you, that is all for today'],
]);

/** A server with sample data. */
export class SampleData {
  /**
   * @param {string} url of the server
   * @param {string} [key] an API key
   */
  constructor(url, key) {
    this.url = url;
    /** @type {Record<string, string>} */
    this.authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  }

  /** Conversations that have ended, then what waits for a person. */
  async fill() {
    for (const [index, [user, wire, text]] of CONVERSATIONS.entries()) await this.say(user, wire, text, index);
    await this.say('jonas', 'process', 'Schedule a meeting with Ana tomorrow at 3pm', 20);
    await this.say('amina', 'ag-ui/booking', 'Book the flight to Lisbon', 21);
  }

  /**
   * Sends a message over a wire and waits for the end of the answer.
   *
   * @param {string} user
   * @param {string} wire
   * @param {string} text
   * @param {number} number of the conversation
   */
  async say(user, wire, text, number) {
    const session = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
    if (wire === 'responses') return this.post('v1/responses', user, { model: 'default', input: text, user });
    if (wire === 'process') {
      const input = [{ role: 'user', content: [{ type: 'text', text }] }];
      return this.post('process', user, { session_id: session, user_id: user, stream: false, input });
    }
    const messages = [{ id: `message-${number}`, role: 'user', content: text }];
    const turn = { threadId: session, runId: `turn-${number}`, messages, tools: [], context: [], state: {} };
    const forwardedProps = wire === 'runs' ? { agent_type: 'worker' } : {};
    return this.post(wire === 'runs' ? 'api/v1/agent/runs' : wire, user, { ...turn, forwardedProps });
  }

  /**
   * Starts a run that calls two tools, one of them slow.
   *
   * @returns {Promise<string>} the id of the run
   */
  async beginTrip() {
    const text = 'Use get_weather and search_flights for Lisbon';
    const input = [{ role: 'user', content: [{ type: 'text', text }] }];
    const answer = await this.post('process/task', 'maria', { session_id: 'trip-to-lisbon', user_id: 'maria', input });
    return JSON.parse(answer).task_id;
  }

  /** API keys of programs. */
  async addKeys() {
    const keys = [
      { account: 'nightly', name: 'Nightly reports', scopes: ['runs:read'] },
      { account: 'shop', name: 'Shop', scopes: ['runs:read', 'runs:write'] },
      { account: 'ci', name: 'Tests of the travel agency', scopes: ['runs:read', 'runs:write'] },
    ];
    for (const key of keys) await this.post('admin/keys', undefined, key);
  }

  /**
   * @param {string} name of the file
   * @param {Buffer} png
   */
  async upload(name, png) {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(png)], { type: 'image/png' }), name);
    const answer = await fetch(`${this.url}/api/v1/agent/attachments`, { method: 'POST', body: form });
    if (!answer.ok) throw new Error(`The upload was answered with ${answer.status}: ${await answer.text()}`);
  }

  /**
   * @param {string} path
   * @param {string | undefined} user
   * @param {object} body
   * @returns {Promise<string>} the whole answer
   */
  async post(path, user, body) {
    const headers = {
      'content-type': 'application/json',
      ...this.authorization,
      ...(user === undefined ? {} : { 'x-user-id': user }),
    };
    const answer = await fetch(`${this.url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered with ${answer.status}: ${text}`);
    return text;
  }

  /**
   * Waits until something holds of a run.
   *
   * @param {string} id
   * @param {(run: { status: string, eventCount: number }) => boolean} holds
   */
  async until(id, holds) {
    for (;;) {
      const answer = await fetch(`${this.url}/api/v1/runs/${id}`);
      if (answer.ok && holds(/** @type {{ status: string, eventCount: number }} */ (await answer.json()))) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
