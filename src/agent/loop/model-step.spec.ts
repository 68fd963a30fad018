import { AppError } from '../../common/index.js';
import { ModelClient } from '../ports/model-client.js';
import { loopAgent, TestRun } from '../testing/test-run.js';

/** Refuses every call before it begins. */
class ThrowingClient extends ModelClient {
  readonly provider = 'test';

  override stream(): never {
    throw new AppError('MODEL_NOT_FOUND');
  }
}

describe('modelStep', () => {
  it('a call that the client refuses at once is observed to its end', async () => {
    const failures: unknown[] = [];
    const run = new TestRun();
    const chat = (): object => ({ failed: (error: unknown) => failures.push(error) });
    Object.assign(run.context, { telemetry: { chat } });
    const failed = expect(run.drive(loopAgent(new ThrowingClient()))).rejects;
    await failed.toMatchObject({ code: 'MODEL_NOT_FOUND' });
    expect(failures[0]).toMatchObject({ code: 'MODEL_NOT_FOUND' });
  });
});
