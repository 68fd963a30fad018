import { type LoggerService } from '@nestjs/common';
import { type Logger } from 'pino';

type PinoLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/**
 * Nest's loggers as lines of the process's log. Nest passes the name of the class that logs as the last
 * argument (`context`), and an error's stack before it.
 */
export class NestLog implements LoggerService {
  constructor(private readonly lines: Logger) {}

  verbose(message: unknown, ...rest: unknown[]): void {
    this.line('trace', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.line('debug', message, rest);
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.line('info', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.line('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.line('error', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.line('fatal', message, rest);
  }

  private line(level: PinoLevel, message: unknown, rest: readonly unknown[]): void {
    const context = rest.at(-1);
    const stack = level === 'error' || level === 'fatal' ? rest.slice(0, -1).find(isText) : undefined;
    const fields = { context, ...(stack === undefined ? {} : { err: { message: String(message), stack } }) };
    if (message instanceof Error) this.lines[level]({ ...fields, err: message }, message.message);
    else if (typeof message === 'object' && message !== null) this.lines[level]({ ...fields, ...message });
    else this.lines[level](fields, String(message));
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
