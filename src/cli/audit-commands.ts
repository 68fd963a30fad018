import { createReadStream, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline';
import { Tenants } from '../access/index.js';
import {
  AuditExports,
  AuditSealer,
  AuditSettings,
  AuditVerification,
  type Checkpoint,
  type ChainResult,
  OPERATOR_TENANT,
  readCheckpoints,
  verifyExport,
} from '../audit/index.js';
import { commandOrigin } from '../common/index.js';
import { readSettings } from '../config/index.js';
import { type Arguments, type Command, type Commands, type Terminal, textOf, UsageError } from './command.js';

/** A chain that was checked. */
interface Checked extends ChainResult {
  readonly tenant: string | null;
  readonly unsealed?: number;
}

const verify: Command = {
  usage:
    '[--tenant ID|*] [--checkpoint FILE] [--file FILE] [--json]   follows the chains of seals, of all tenants and of the operator (*) by default; --file verifies an export without the database; exit code 1 if a chain is broken',
  options: { tenant: { type: 'string' }, checkpoint: { type: 'string' }, file: { type: 'string' } },
  runOffline(args, env, terminal) {
    const file = textOf(args, 'file');
    if (file === undefined) return undefined;
    if (textOf(args, 'tenant') !== undefined) throw new UsageError('--tenant and --file exclude each other');
    return verifyFile(file, args, env, terminal);
  },
  async run(app, args, terminal) {
    const tenant = textOf(args, 'tenant');
    const checkpoints = checkpointsOf(args);
    const verification = app.get(AuditVerification);
    if (tenant === undefined) return shown(await verification.all(checkpoints), args, terminal);
    if (tenant !== OPERATOR_TENANT) await app.get(Tenants).find(tenant);
    const found = await verification.tenant(tenant, checkpoints);
    return shown(found ? [found] : [], args, terminal);
  },
};

const exportLines: Command = {
  usage:
    '[--tenant ID|*]   writes the sealed lines of a tenant (default) or of the operator (*) to stdout, as JSON Lines',
  options: { tenant: { type: 'string' } },
  async run(app, args, terminal) {
    const tenant = textOf(args, 'tenant') ?? 'default';
    if (tenant !== OPERATOR_TENANT) await app.get(Tenants).find(tenant);
    const lines = await app.get(AuditExports).begin(tenant, commandOrigin(userInfo().username), { seals: false });
    for await (const line of lines) terminal.out(line.trimEnd());
    terminal.note('Lines that no server has sealed yet are not in the export.');
    return 0;
  },
};

const checkpoint: Command = {
  usage: '  prints the ends of all chains: keep them where the database cannot be changed',
  async run(app, _args, terminal) {
    for (const one of await app.get(AuditSealer).checkpoints()) terminal.out(JSON.stringify(one));
    return 0;
  },
};

/** `npm run audit -- …` (contract access, section 8). */
export const AUDIT_COMMANDS: Commands = new Map(Object.entries({ verify, export: exportLines, checkpoint }));

async function verifyFile(file: string, args: Arguments, env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  const input = createReadStream(file);
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  const keys = readSettings(AuditSettings, env).ring();
  try {
    return shown([await verifyExport(lines, keys, checkpointsOf(args))], args, terminal);
  } catch (error) {
    throw fileError(error, file);
  } finally {
    input.destroy();
  }
}

/** @throws UsageError for a file that cannot be read */
function checkpointsOf(args: Arguments): readonly Checkpoint[] {
  const file = textOf(args, 'checkpoint');
  if (file === undefined) return [];
  try {
    return readCheckpoints(readFileSync(file, 'utf8'));
  } catch (error) {
    throw fileError(error, file);
  }
}

function fileError(error: unknown, file: string): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  return ['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR'].includes(code ?? '')
    ? new UsageError(`${file} cannot be read`)
    : error;
}

function shown(chains: readonly Checked[], { options }: Arguments, terminal: Terminal): number {
  const broken = chains.filter(({ firstBreak }) => firstBreak !== null);
  if (options.json === true) terminal.out(JSON.stringify(chains, null, 2));
  else for (const chain of chains) terminal.out(sentence(chain));
  if (chains.length === 0) terminal.note('Nothing was ever sealed.');
  if (broken.some(({ lines }) => lines === 0))
    terminal.note('Is the key the one of the servers (AUDIT_KEYS, or the file audit-key in DATA_DIR)?');
  return broken.length > 0 ? 1 : 0;
}

function sentence({ tenant, lines, erased, unsealed, head, firstBreak }: Checked): string {
  const name = tenant === null ? 'The operator' : `The tenant ${tenant}`;
  if (firstBreak) return `${name}: broken after ${lines} lines. ${firstBreak.message} (${firstBreak.kind}).`;
  const waiting = unsealed === undefined || unsealed === 0 ? '' : `, ${unsealed} not sealed yet`;
  const gone = erased === 0 ? '' : `, ${erased} contents erased`;
  return `${name}: whole, ${lines} lines${gone}${waiting}. Last: ${head?.seq ?? 0} ${head?.hash ?? ''}`.trimEnd();
}
