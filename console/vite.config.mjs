import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** Until the build is whole: scripts/lib/project.mjs then moves it to dist/console. */
const OUTPUT = fileURLToPath(new URL('../dist/console.new', import.meta.url));
/** A server for `npx vite`, which reloads the page when a source changes. */
const SERVER = process.env.PARLEY_URL ?? 'http://127.0.0.1:8090';

/** Writes each file compressed, too: the server sends what the browser takes. */
function compressed() {
  return {
    name: 'compressed',
    apply: 'build',
    closeBundle() {
      for (const path of readdirSync(OUTPUT, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(html|js|css|svg)$/.test(path)) continue;
        const file = join(OUTPUT, path);
        const content = readFileSync(file);
        writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
        writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
      }
    },
  };
}

/** @type {import('vite').UserConfig} */
const config = {
  // Relative addresses: the console works below any prefix.
  base: './',
  build: {
    outDir: OUTPUT,
    emptyOutDir: true,
    target: 'es2022',
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      // Libraries mark modules for servers that render pages; there is none.
      onLog: (level, log, print) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && print(level, log),
    },
  },
  server: { proxy: { '^/(?!src|@|node_modules|assets|$)': { target: SERVER, changeOrigin: true } } },
  plugins: [compressed()],
};

export default config;
