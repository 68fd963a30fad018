import { AgentTool } from '../agent/tools/index.js';
import { callTool, say, scriptedModel } from './model-answers.js';
import { startTestServer } from './test-server.js';

class Shop {
  @AgentTool({ name: 'refund', description: 'Refunds.', effects: 'unsafe', parameters: { type: 'object' } })
  async refund(): Promise<string> {
    return 'refunded';
  }
}

describe('a test server', () => {
  it('shows the approval that a run waits for, and the run that continues after it', async () => {
    const model = scriptedModel([callTool('refund', { order: 'A-1' }), say('Done.')]);
    const server = await startTestServer({ providers: [Shop], model });
    try {
      const asked = await server.run('Refund A-1');
      expect(asked.state).toBe('interrupted');
      expect(asked.approvals).toMatchObject([{ toolName: 'refund', arguments: { order: 'A-1' } }]);
      const done = await asked.approve();
      expect([done.state, done.text, done.sessionId]).toEqual(['completed', 'Done.', asked.sessionId]);
      for (const wire of ['agent-api', 'responses', 'ag-ui', 'ag-kit', 'runs'])
        expect(JSON.stringify(await done.frames(wire))).toContain('Done.');
    } finally {
      await server.close();
    }
  });

  it('fails a test whose model has too few answers', async () => {
    const server = await startTestServer({ model: scriptedModel([]) });
    try {
      await expect(server.run('Hello')).rejects.toThrow('No script for model call 0');
    } finally {
      await server.close();
    }
  });
});
