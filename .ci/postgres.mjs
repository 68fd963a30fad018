// Asks a PostgreSQL for what .ci/run needs, without its command line tools.
//   node .ci/postgres.mjs probe <url>           exit code 0 when it answers
//   node .ci/postgres.mjs create <url> <name>   makes a database and prints its URL
//   node .ci/postgres.mjs drop <url> <name>     removes a database and ends its connections
//   node .ci/postgres.mjs free-port             prints a free loopback port
import { createServer } from 'node:net';
import pg from 'pg';

const CONNECT_TIMEOUT_MS = 3000;
const [action, url = '', name = ''] = process.argv.slice(2);

try {
  if (action === 'free-port') console.log(await freePort());
  else await withClient(url, run);
} catch (error) {
  // Not the URL: it may hold a password.
  console.error(`PostgreSQL: ${/** @type {Error} */ (error).message || 'does not answer'}`);
  process.exitCode = 1;
}

/** @param {pg.Client} client */
async function run(client) {
  const quoted = client.escapeIdentifier(name);
  if (action === 'probe') await client.query('SELECT 1');
  else if (action === 'drop') await client.query(`DROP DATABASE IF EXISTS ${quoted} WITH (FORCE)`);
  else if (action === 'create') {
    await client.query(`CREATE DATABASE ${quoted} ENCODING 'UTF8' TEMPLATE template0`);
    const created = new URL(url);
    created.pathname = `/${name}`;
    console.log(created.href);
  } else throw new Error(`unknown action ${action}`);
}

/**
 * @param {string} connectionString
 * @param {(client: pg.Client) => Promise<void>} work
 */
async function withClient(connectionString, work) {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
