/** The server of the agent. The page asks it below its own address, so that the browser sees one origin. */
const server = process.env.PARLEY_URL ?? 'http://127.0.0.1:8090';
const proxy = { '/ai-sdk': { target: server, configure: breakWithServer } };

/**
 * An answer that the server could not finish must not look finished in the browser.
 *
 * @param {import('vite').HttpProxy.Server} proxy
 */
function breakWithServer(proxy) {
  proxy.on('proxyRes', (answer, _request, response) => {
    // With `connection: close` some clients take every end for the right one.
    delete answer.headers.connection;
    answer.once('close', () => answer.complete || response.destroy());
  });
}

/** @type {import('vite').UserConfig} */
const config = {
  build: {
    outDir: '../dist/page',
    emptyOutDir: true,
    target: 'es2022',
    rolldownOptions: {
      // Libraries mark modules for servers that render pages; there is none.
      onLog: (level, log, print) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && print(level, log),
    },
  },
  server: { proxy },
  preview: { proxy },
};

export default config;
