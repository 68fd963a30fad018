import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { registerConsole } from './register-console.js';

@Module({})
class Nothing {}

describe('a console that is not built yet', () => {
  let folder: string;
  let app: NestFastifyApplication;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-console-'));
    const module = await Test.createTestingModule({ imports: [Nothing] }).compile();
    app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
    registerConsole(app, { enabled: true }, [], join(folder, 'console'));
    await app.init();
  });
  afterEach(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('says so until it is there, and is then served without a restart', async () => {
    const before = await app.inject({ url: '/console/' });
    expect(before.statusCode).toBe(503);
    expect(before.headers).toMatchObject({ 'retry-after': '3', 'cache-control': 'no-store' });
    expect(before.body).toContain('The console is being built');
    mkdirSync(join(folder, 'console'));
    writeFileSync(join(folder, 'console/index.html'), '<p>here</p>');
    expect((await app.inject({ url: '/console/' })).body).toBe('<p>here</p>');
  });
});
