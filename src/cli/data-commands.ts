import { setTimeout as pause } from 'node:timers/promises';
import { userInfo } from 'node:os';
import { commandOrigin, isoTime } from '../common/index.js';
import { Erasures, type EraseReceipt } from '../data-protection/index.js';
import { type Arguments, type Command, type Commands, table, type Terminal } from './command.js';
import { userOf } from './user-argument.js';

const LOOK_MS = 250;
const WAIT_MS = 60_000;

const erase: Command = {
  usage:
    'USER [--tenant ID] [--wait] [--json]   asks for the erasure of everything that is stored of a user: a running server carries it out, or the next one that starts; --wait waits a minute for the receipt',
  positionals: ['USER'],
  options: { tenant: { type: 'string' }, wait: { type: 'boolean' } },
  async run(app, args, terminal) {
    const user = await userOf(app, args);
    const erasures = app.get(Erasures);
    const jobId = await erasures.request(user, commandOrigin(userInfo().username));
    terminal.note(`The erasure ${jobId} is asked for.`);
    if (args.options['wait'] !== true) {
      if (args.options.json === true) terminal.out(JSON.stringify({ jobId }, null, 2));
      return 0;
    }
    for (let waited = 0; waited < WAIT_MS; waited += LOOK_MS) {
      const receipt = await erasures.receipt(user);
      if (receipt.status === 'done') return shown(receipt, args, terminal);
      await pause(LOOK_MS);
    }
    terminal.note('It is not done yet. Is a server running? `receipt` shows how far it is.');
    return 1;
  },
};

const receipt: Command = {
  usage: 'USER [--tenant ID] [--json]   shows the newest erasure of a user',
  positionals: ['USER'],
  options: { tenant: { type: 'string' } },
  async run(app, args, terminal) {
    return shown(await app.get(Erasures).receipt(await userOf(app, args)), args, terminal);
  },
};

/** `npm run data -- …` (contract access, section 9). */
export const DATA_COMMANDS: Commands = new Map(Object.entries({ erase, receipt }));

function shown(found: EraseReceipt, { options }: Arguments, terminal: Terminal): number {
  const { counts, requestedAt, finishedAt, ...rest } = found;
  if (options.json === true) {
    const times = { requestedAt: isoTime(requestedAt), finishedAt: finishedAt === null ? null : isoTime(finishedAt) };
    terminal.out(JSON.stringify({ ...rest, ...times, counts }, null, 2));
    return 0;
  }
  terminal.note(`The erasure ${found.jobId}: ${found.status}.`);
  const rows = Object.entries(counts).map(([kind, count]) => [kind, String(count)]);
  terminal.out(rows.length === 0 ? 'Nothing was stored.' : table([['KIND', 'ROWS'], ...rows]));
  return 0;
}
