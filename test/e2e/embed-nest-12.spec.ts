import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { InstalledPackage } from '../support/installed-package.js';

/** Where Nest 12 is, if `npm ci` was run there. `.ci/run` does. */
const NEST_12 = join(__dirname, '../nest-12/node_modules');
const isInstalled = existsSync(join(NEST_12, '@nestjs/core'));
const title = 'the package in a host on Nest 12';
const TIMEOUT_MS = 240_000;

/** An application as its author would write it in JavaScript: the decorators are called. */
const HOST = `
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { AgentTool, ParleyModule } from 'parley-server';
import { callTool, say, scriptedModel } from 'parley-server/testing';

const decorate = (target, key, ...decorators) => {
  const descriptor = key === undefined ? undefined : Object.getOwnPropertyDescriptor(target, key);
  for (const decorator of decorators) decorator(target, key, descriptor);
};

const notes = [];
class Stock {
  count() { return 42; }
  onModuleDestroy() { notes.push('destroyed'); }
}
class StockTool {
  constructor(stock) { this.stock = stock; }
  async count_stock() { notes.push('called'); return this.stock.count(); }
}
Reflect.defineMetadata('design:paramtypes', [Stock], StockTool);
decorate(StockTool.prototype, 'count_stock', AgentTool({ name: 'count_stock', description: 'Counts.', effects: 'none', parameters: { type: 'object' } }));
class HostController { hello() { return { host: 'hello' }; } }
decorate(HostController.prototype, 'hello', Get('hello'));
decorate(HostController, undefined, Controller());
class StockModule {}
decorate(StockModule, undefined, Module({ providers: [Stock], exports: [Stock] }));
class HostModule {}
decorate(HostModule, undefined, Module({
  imports: [StockModule, ParleyModule.forRoot({
    basePath: '/agents', auth: 'none', imports: [StockModule], inject: [Stock], tools: [StockTool],
    model: scriptedModel(({ messages }) => messages.at(-1).role === 'tool' ? say('There are 42.') : callTool('count_stock')),
    settings: { DATA_DIR: process.argv[2] },
  })],
  controllers: [HostController],
}));

const app = await NestFactory.create(HostModule, new FastifyAdapter(), { logger: ['error'], abortOnError: false });
await app.listen(0, '127.0.0.1');
const url = await app.getUrl();
const json = async (path, body) => (await fetch(url + path, body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json();
const response = await json('/agents/v1/responses', { model: 'worker', input: 'How many?' });
const refused = await fetch(url + '/agents/process', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":' });
const result = {
  nest: JSON.parse(readFileSync(new URL('package.json', import.meta.resolve('@nestjs/core')), 'utf8')).version,
  host: await json('/hello'),
  text: response.output.at(-1).content[0].text,
  health: (await json('/agents/readiness')).status,
  servers: (await json('/agents/openapi.json')).servers,
  refused: refused.status,
  docs: (await fetch(url + '/agents/docs/swagger-ui.css')).status,
};
await app.close();
console.log(JSON.stringify({ ...result, notes }));
`;

(isInstalled ? describe : describe.skip)(isInstalled ? title : `${title} (skipped: npm ci in test/nest-12)`, () => {
  let installed: InstalledPackage;
  beforeAll(() => {
    installed = InstalledPackage.create(NEST_12);
  }, TIMEOUT_MS);
  afterAll(() => installed.remove());

  it(
    'serves its wires, its tools and its pages, and ends before the host',
    async () => {
      installed.write('host.mjs', HOST);
      const { code, stdout, stderr } = await installed.run(process.execPath, ['host.mjs', 'data']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toEqual({
        nest: expect.stringMatching(/^12\./),
        host: { host: 'hello' },
        text: 'There are 42.',
        health: expect.stringMatching(/^(ok|up|ready|healthy)$/),
        servers: [{ url: '/agents' }],
        refused: 400,
        docs: 200,
        notes: ['called', 'destroyed'],
      });
    },
    TIMEOUT_MS,
  );
});
