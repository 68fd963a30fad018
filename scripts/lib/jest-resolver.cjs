/**
 * How jest finds packages: what the server has, specs have from the server, too. `test/node_modules` may hold a second
 * copy of a package, whose classes and counters are not those of the server.
 */
const root = `${__dirname}/../..`;

/**
 * @param {string} path
 * @param {{ basedir: string, defaultResolver: (path: string, options: object) => string }} options
 * @returns {string}
 */
module.exports = (path, options) => {
  const isOfSpec = !/^[./]|^node:/.test(path) && !options.basedir.includes('/node_modules/');
  if (isOfSpec) {
    try {
      return options.defaultResolver(path, { ...options, basedir: root });
    } catch {
      // A package of the tests.
    }
  }
  return options.defaultResolver(path, options);
};
