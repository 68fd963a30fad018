import { userInfo } from 'node:os';
import { AppError, commandOrigin, type Origin } from '../common/index.js';
import { Database } from '../database/index.js';
import { type Tenant, TenantLimits, TenantRetentions, Tenants } from '../access/index.js';
import { refuseServers } from './encryption-commands.js';
import { type Arguments, type Command, type Commands, table, type Terminal, textOf, UsageError } from './command.js';

const create: Command = {
  usage: 'ID [--name NAME] [--json]',
  positionals: ['ID'],
  options: { name: { type: 'string' } },
  async run(app, args, terminal) {
    const tenant = await app.get(Tenants).create(args.positionals[0] ?? '', operator(), textOf(args, 'name'));
    terminal.note(`The tenant ${tenant.id} is created.`);
    return shown(tenant, args, terminal);
  },
};

const list: Command = {
  usage: '[--json]',
  async run(app, { options }, terminal) {
    const tenants = (await app.get(Tenants).list()).map(viewOf);
    const rows = tenants.map(({ id, status, createdAt, name }) => [id, status, createdAt, name]);
    terminal.out(
      options.json ? JSON.stringify(tenants, null, 2) : table([['ID', 'STATUS', 'CREATED', 'NAME'], ...rows]),
    );
    return 0;
  },
};

const suspend: Command = {
  usage: 'ID [--json]',
  positionals: ['ID'],
  async run(app, args, terminal) {
    const tenant = await app.get(Tenants).suspend(args.positionals[0] ?? '', operator());
    terminal.note(`The tenant ${tenant.id} is suspended. Servers that are running refuse its credentials within 5 s.`);
    return shown(tenant, args, terminal);
  },
};

const resume: Command = {
  usage: 'ID [--json]',
  positionals: ['ID'],
  async run(app, args, terminal) {
    const tenant = await app.get(Tenants).resume(args.positionals[0] ?? '', operator());
    terminal.note(`The tenant ${tenant.id} is active. Servers that are running accept its credentials within 5 s.`);
    return shown(tenant, args, terminal);
  },
};

const rename: Command = {
  usage:
    'ID NEW_ID [--json]   stop the servers first; if content is not encrypted, it is enough to suspend the tenant and wait 5 s',
  positionals: ['ID', 'NEW_ID'],
  async run(app, args, terminal) {
    const [from = '', to = ''] = args.positionals;
    const database = app.get(Database);
    if (database.content.isOn) await refuseServers(database.read);
    const { tenant, movedRows } = await app.get(Tenants).rename(from, to, operator());
    terminal.note(`The tenant ${from} is now ${to}; ${movedRows} rows were changed.`);
    return shown(tenant, args, terminal);
  },
};

const limits: Command = {
  usage: 'ID [--set]   prints what differs from the defaults of the servers; --set replaces it by the JSON on stdin',
  positionals: ['ID'],
  options: { set: { type: 'boolean' } },
  async run(app, { positionals: [id = ''], options }, terminal) {
    const all = app.get(TenantLimits);
    if (options.set !== true) {
      if (!(await app.get(Tenants).list()).some((tenant) => tenant.id === id))
        throw new AppError('RESOURCE_NOT_FOUND', `There is no tenant ${id}`);
      terminal.out(JSON.stringify((await all.read(id)).overrides, null, 2));
      return 0;
    }
    const { overrides } = await all.replace(id, jsonOf(await terminal.input(), 'limits'), operator());
    terminal.note(`The limits of the tenant ${id} are changed. Servers that are running apply them within 5 s.`);
    terminal.out(JSON.stringify(overrides, null, 2));
    return 0;
  },
};

const retention: Command = {
  usage:
    'ID [--set]   prints for how long its data is kept, where that differs from the servers; --set replaces it by the JSON on stdin',
  positionals: ['ID'],
  options: { set: { type: 'boolean' } },
  async run(app, { positionals: [id = ''], options }, terminal) {
    const all = app.get(TenantRetentions);
    if (options.set !== true) {
      terminal.out(JSON.stringify(await all.read(id), null, 2));
      return 0;
    }
    const overrides = await all.replace(id, jsonOf(await terminal.input(), 'periods'), operator());
    terminal.note(`The retention of the tenant ${id} is changed. What is older is removed by the next chores.`);
    terminal.out(JSON.stringify(overrides, null, 2));
    return 0;
  },
};

/** `npm run tenant -- …` (contract access, section 4). */
export const TENANT_COMMANDS: Commands = new Map(
  Object.entries({ create, list, suspend, resume, rename, limits, retention }),
);

function operator(): Origin {
  return commandOrigin(userInfo().username);
}

function shown(tenant: Tenant, { options }: Arguments, terminal: Terminal): number {
  if (options.json) terminal.out(JSON.stringify(viewOf(tenant), null, 2));
  return 0;
}

function viewOf({ createdAt, updatedAt, ...tenant }: Tenant): Omit<Tenant, 'createdAt' | 'updatedAt'> & {
  readonly createdAt: string;
  readonly updatedAt: string;
} {
  return { ...tenant, createdAt: new Date(createdAt).toISOString(), updatedAt: new Date(updatedAt).toISOString() };
}

/** @throws UsageError */
function jsonOf(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`The ${what} on stdin must be JSON`);
  }
}
