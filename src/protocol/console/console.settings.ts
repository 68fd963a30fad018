import { choice, setting, settings } from '../../config/index.js';

/** Whether the server has a console. */
export class ConsoleSettings extends settings('Console', {
  console: setting('CONSOLE', choice('on', 'off'), {
    default: 'on',
    description:
      'Whether the console is served at `/console`, to which `/` then sends browsers. Its files hold no data; what it shows, it reads with the credential of the person who uses it.',
  }),
}) {
  get enabled(): boolean {
    return this.console === 'on';
  }
}
