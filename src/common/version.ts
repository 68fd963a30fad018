import packageJson from '../../package.json';

/** The version of this server. */
export const VERSION: string = packageJson.version;
