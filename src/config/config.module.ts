import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Configuration } from './configuration.js';
import { Fingerprints } from './fingerprints.js';

/** Makes every slice of a configuration injectable by its class: `constructor(private readonly settings: RunSettings)`. */
@Global()
@Module({})
export class ConfigModule {
  static forRoot(configuration: Configuration): DynamicModule {
    const providers = configuration.types.map((type) => ({ provide: type, useValue: configuration.get(type) }));
    return {
      module: ConfigModule,
      providers: [...providers, { provide: Configuration, useValue: configuration }, Fingerprints],
      exports: [...configuration.types, Configuration, Fingerprints],
    };
  }
}
