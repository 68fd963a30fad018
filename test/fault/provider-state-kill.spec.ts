import { describeOnDatabases } from '../support/databases.js';
import { answerText, expectWhole, ProcessClient } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';
import { ThinkingServer } from '../support/thinking-server.js';
import { until } from '../support/until.js';

describeOnDatabases('a server that is killed while its model thinks', (openDatabase) => {
  it('the run continues with what the model server wants back, of this turn and of earlier ones', async () => {
    const database = await openDatabase();
    const model = await new ThinkingServer().listen();
    const server = await ServerProcess.start(database, model.env);
    const client = new ProcessClient(server.url);
    try {
      const session = { session_id: 'thinking' };
      await client.ask('Look', session);
      model.holdsResults = true;
      const stream = await client.say('Look again', session);
      // What a client has seen is committed; the request that follows may be sent before.
      await stream.until(({ frames }) => frames.some((frame) => JSON.stringify(frame).includes('plugin_call_output')));
      await until(() => model.seen.length === 4, 'the model has the results of the second turn');
      expect(model.returned).toHaveLength(2);
      const before = model.returned;
      await server.kill();
      await stream.all();
      model.holdsResults = false;
      await server.restart();
      const last = await client.ended(stream.frames[0]?.id ?? '');
      expect(last.status).toBe('completed');
      expect([model.returned, model.refusals]).toEqual([before, []]);
      expect(answerText(expectWhole((await client.ask('Well?', session)).frames))).toMatch(/^Answer/);
      expect([model.returned, model.refusals]).toEqual([before, []]);
    } finally {
      await server.stop();
      await model.close();
      await database.drop();
    }
  });
});
