import 'reflect-metadata';
import { DataSource } from 'typeorm';
import { loadConfig } from './src/config/index.js';
import { dataSourceOptions } from './src/database/index.js';
import { SAMPLES_SCHEMA } from './src/samples/index.js';

const { database, samples } = loadConfig(process.env);

/** The data source of TypeORM's command line: the same environment, entities and migrations as the server. */
export default new DataSource(dataSourceOptions(database, samples.enabled ? [SAMPLES_SCHEMA] : []));
