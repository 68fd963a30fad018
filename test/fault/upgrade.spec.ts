import {
  agentApi,
  CursorReader,
  type CursorRoute,
  responses,
  runsApi,
  WATCHED,
  watching,
} from '../support/cursor-reader.js';
import { postgresDatabase, type TestDatabase } from '../support/databases.js';
import { EarlierBuild, NO_EARLIER_BUILD } from '../support/earlier-build.js';
import { ProcessClient } from '../support/process-client.js';
import { runInput, RunsClient } from '../support/runs-client.js';
import { ServerProcess } from '../support/server-process.js';

jest.setTimeout(180_000);

const POSTGRES = process.env.TEST_DATABASE_URL ?? '';
const WHY = POSTGRES ? NO_EARLIER_BUILD : 'no TEST_DATABASE_URL';
const ENV = { LEASE_MS: '5000', SWEEP_INTERVAL_MS: '200', DRAIN_RUN_MS: '300', DRAIN_STREAM_MS: '500', CONSOLE: 'off' };
const LONG = 'count to 100 slowly';

(WHY ? describe.skip : describe)(
  `a server of an earlier version beside this one${WHY ? ` (skipped: ${WHY})` : ''}`,
  () => {
    let build: EarlierBuild;
    let database: TestDatabase;
    let earlier: ServerProcess;
    let present: ServerProcess;

    beforeAll(async () => {
      build = await EarlierBuild.make();
      database = await postgresDatabase(POSTGRES);
      earlier = await ServerProcess.start(database, ENV, build.main);
      // It brings the schema up to date, under the earlier one.
      present = await ServerProcess.start(database, ENV);
    });
    afterAll(async () => {
      await Promise.all([earlier, present].map((server) => server?.stop()));
      await database?.drop();
      await build?.remove();
    });

    /** Starts a run on each wire that has cursors. Returns how it is read. */
    async function startOnAll({ url }: ServerProcess): Promise<readonly CursorRoute[]> {
      const body = { model: 'worker', input: LONG, stream: true };
      const [own, response, submitted] = await Promise.all([
        new ProcessClient(url).say(LONG),
        fetch(`${url}/v1/responses`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
        new RunsClient(url).submit(runInput(LONG)),
      ]);
      await own.until(({ frames }) => frames.length > 0);
      own.leave();
      // Its client stays: to leave would cancel the run.
      response.text().catch(() => undefined);
      const runId = own.frames[0]?.id ?? '';
      const responseId = response.headers.get('x-run-id') ?? '';
      return [
        agentApi(runId),
        responses(responseId),
        runsApi(submitted.body.threadId, 'run-1'),
        ...(await watchedByBoth()).map((protocol) => watching(runId, protocol)),
      ];
    }

    /** The wires in which the earlier version shows runs, too: it may know fewer, and refuses the others. */
    async function watchedByBoth(): Promise<readonly string[]> {
      const unknown = await Promise.all(
        WATCHED.map(async (protocol) => {
          const { path } = watching('response_0', protocol).request(0, undefined);
          return (await fetch(earlier.url + path)).status === 400;
        }),
      );
      return WATCHED.filter((_, index) => !unknown[index]);
    }

    it.each(['earlier', 'present'] as const)(
      'streams of runs that the %s one began move between both without gap or repeat',
      async (beginner) => {
        const pair = beginner === 'earlier' ? [earlier, present] : [present, earlier];
        const routes = await startOnAll(pair[0] as ServerProcess);
        expect(routes.length).toBeGreaterThan(10);
        const readers = routes.map((route) => new CursorReader(route));
        await Promise.all(
          readers.map(async (reader) => {
            for (let turn = 0; (await reader.read(pair[turn % 2]?.url ?? '', 12)) === 'left'; turn += 1);
          }),
        );
        for (const reader of readers) {
          const whole = await Promise.all(pair.map(({ url }) => reader.whole(url)));
          expect(reader.frames.length).toBeGreaterThan(50);
          expect([reader.route.name, reader.frames]).toEqual([reader.route.name, whole[0]]);
          expect([reader.route.name, whole[1]]).toEqual([reader.route.name, whole[0]]);
        }
      },
    );

    it.each(['present', 'earlier'] as const)(
      'runs of the %s one, which stops, are continued by the other',
      async (name) => {
        const [stopping, other] = name === 'present' ? [present, earlier] : [earlier, present];
        const client = new RunsClient(stopping.url);
        const { threadId } = (await client.submit(runInput(LONG))).body;
        const reader = new CursorReader(runsApi(threadId, 'run-1'));
        await reader.read(stopping.url, 8);
        const code = stopping.terminate();
        while ((await reader.read(other.url, 40)) === 'left');
        expect(await code).toBe(0);
        const ended = await new RunsClient(other.url).ended(threadId, 'run-1');
        expect([ended.status, ended.attempt]).toEqual(['succeeded', 1]);
        expect(reader.frames).toEqual(await reader.whole(other.url));
        if (stopping === present) await present.restart();
      },
    );
  },
);
