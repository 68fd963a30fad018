import 'reflect-metadata';
import { DataSource } from 'typeorm';
import { Configuration } from './src/config/index.js';
import { dataSourceOptions, DatabaseSettings } from './src/database/index.js';
import { SAMPLES_SCHEMA, SamplesSettings } from './src/samples/index.js';

// Migrations need no model, which SAMPLES=off requires of a server.
const configuration = Configuration.read(process.env, [DatabaseSettings, SamplesSettings], ['LLM_BASE_URL']);
const extensions = configuration.get(SamplesSettings).hasTools ? [SAMPLES_SCHEMA] : [];

/** The data source of TypeORM's command line: the same environment, entities and migrations as the server. */
export default new DataSource(dataSourceOptions(configuration.get(DatabaseSettings), extensions));
