import { type DynamicModule, Global, Module } from '@nestjs/common';
import { AppConfig } from './config.types.js';

/** Makes the one configuration injectable everywhere as `AppConfig`. */
@Global()
@Module({})
export class ConfigModule {
  /** Binds a configuration that `loadConfig` has read. */
  static forRoot(config: AppConfig): DynamicModule {
    return { module: ConfigModule, providers: [{ provide: AppConfig, useValue: config }], exports: [AppConfig] };
  }
}
