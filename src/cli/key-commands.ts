import { userInfo } from 'node:os';
import {
  type ApiKey,
  ApiKeys,
  type ApiKeyView,
  type IssuedKey,
  type KeyManager,
  type KeyReach,
  operator,
  readDuration,
  readLifetime,
  viewOfKey,
} from '../access/index.js';
import {
  type Arguments,
  type Command,
  type Commands,
  listOf,
  requiredText,
  table,
  type Terminal,
  textOf,
} from './command.js';

const ALL: KeyReach = { of: 'installation' };
const PAGE = 500;

const create: Command = {
  usage:
    '--tenant TENANT --account ACCOUNT [--scopes "SCOPE …"] [--user USER] [--name NAME] [--expires 90d|never] [--network NETWORK …] [--json]',
  options: {
    tenant: { type: 'string' },
    account: { type: 'string' },
    scopes: { type: 'string', multiple: true },
    user: { type: 'string' },
    name: { type: 'string' },
    expires: { type: 'string' },
    network: { type: 'string', multiple: true },
  },
  async run(app, args, terminal) {
    const expires = textOf(args, 'expires');
    const fields = {
      account: requiredText(args, 'account'),
      scopes: listOf(args, 'scopes'),
      userId: textOf(args, 'user'),
      name: textOf(args, 'name'),
      networks: listOf(args, 'network'),
      expiresInMs: expires === undefined ? undefined : readLifetime(expires),
    };
    const issued = await app.get(ApiKeys).create(requiredText(args, 'tenant'), fields, manager());
    showSecret(issued, args, terminal);
    return 0;
  },
};

const list: Command = {
  usage: '[--tenant TENANT] [--account ACCOUNT] [--json]',
  options: { tenant: { type: 'string' }, account: { type: 'string' } },
  async run(app, args, terminal) {
    const tenantId = textOf(args, 'tenant');
    const reach: KeyReach = tenantId === undefined ? ALL : { of: 'tenant', tenantId };
    const keys = (await allKeys(app.get(ApiKeys), reach, textOf(args, 'account'))).map(view);
    terminal.out(args.options.json ? JSON.stringify(keys, null, 2) : table([TITLES, ...keys.map(rowOf)]));
    return 0;
  },
};

const show: Command = {
  usage: 'ID [--json]',
  positionals: ['ID'],
  async run(app, args, terminal) {
    showKey(await app.get(ApiKeys).find(ALL, idOf(args)), args, terminal);
    return 0;
  },
};

const rotate: Command = {
  usage: 'ID [--overlap 24h] [--json]',
  positionals: ['ID'],
  options: { overlap: { type: 'string' } },
  async run(app, args, terminal) {
    const overlap = textOf(args, 'overlap');
    const overlapMs = overlap === undefined ? undefined : readDuration(overlap, '--overlap');
    const issued = await app.get(ApiKeys).rotate(ALL, idOf(args), { overlapMs }, manager());
    const { overlapUntil } = view(await app.get(ApiKeys).find(ALL, idOf(args)));
    terminal.note(`The key ${idOf(args)} works until ${overlapUntil}.`);
    showSecret(issued, args, terminal);
    return 0;
  },
};

const revoke: Command = {
  usage: 'ID [--json]',
  positionals: ['ID'],
  async run(app, args, terminal) {
    const key = await app.get(ApiKeys).revoke(ALL, idOf(args), manager());
    terminal.note(`The key ${key.id} is revoked. Servers that are running refuse it within 5 s.`);
    if (args.options.json) showKey(key, args, terminal);
    return 0;
  },
};

const check: Command = {
  usage: '[--json] < FILE   reads the key from stdin; exit code 1 if it does not work',
  async run(app, args, terminal) {
    const found = await app.get(ApiKeys).identify((await terminal.input()).trim());
    if (!found) {
      terminal.note('This is not a key of this installation.');
      return 1;
    }
    showKey(found.key, args, terminal);
    const { status } = view(found.key);
    if (!found.isTenantActive) terminal.note('The tenant of this key is suspended.');
    return found.isTenantActive && (status === 'active' || status === 'rotated') ? 0 : 1;
  },
};

/** `npm run key -- …` (contract access, section 3.1). */
export const KEY_COMMANDS: Commands = new Map(Object.entries({ create, list, show, rotate, revoke, check }));

const TITLES = ['ID', 'TENANT', 'ACCOUNT', 'STATUS', 'EXPIRES', 'LAST USED', 'SCOPES', 'NAME'];

function rowOf(key: ApiKeyView): readonly string[] {
  const end = key.status === 'rotated' ? key.overlapUntil : key.expiresAt;
  const scopes = [...key.scopes, ...(key.user === null ? [] : [`as ${key.user}`])].join(' ');
  return [
    key.id,
    key.tenant,
    key.account,
    key.status,
    end ?? 'never',
    key.lastUsedAt ?? 'never',
    scopes,
    key.name ?? '',
  ];
}

async function allKeys(keys: ApiKeys, reach: KeyReach, account: string | undefined): Promise<readonly ApiKey[]> {
  const found: ApiKey[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await keys.list(reach, { account, limit: PAGE, cursor });
    found.push(...page.items);
    if (page.nextCursor === null) return found;
    cursor = page.nextCursor;
  }
}

/** The secret is alone on stdout, or a part of the JSON; there is no other copy. */
function showSecret({ key, secret }: IssuedKey, { options }: Arguments, terminal: Terminal): void {
  const { id, tenant, account, user, scopes, expiresAt } = view(key);
  terminal.note(
    `The key ${id} of the account ${account} in the tenant ${tenant}${user === null ? '' : ` acts for ${user}`}.`,
  );
  terminal.note(`Scopes: ${scopes.join(' ')}. Expires: ${expiresAt ?? 'never'}.`);
  terminal.note('The key is shown only this once:');
  terminal.out(options.json ? JSON.stringify({ ...view(key), secret }, null, 2) : secret);
}

function showKey(key: ApiKey, { options }: Arguments, terminal: Terminal): void {
  const shown = view(key);
  if (options.json) {
    terminal.out(JSON.stringify(shown, null, 2));
    return;
  }
  const lines = Object.entries(shown).map(([name, value]) => [name, textOfValue(value)]);
  terminal.out(table(lines));
}

function textOfValue(value: unknown): string {
  if (value === null) return '-';
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function view(key: ApiKey): ApiKeyView {
  return viewOfKey(key, Date.now());
}

function idOf({ positionals }: Arguments): string {
  return positionals[0] ?? '';
}

function manager(): KeyManager {
  return operator(userInfo().username);
}
