// Before the packages of the image are installed: those of the model providers, which an installation leaves out because
// they are for tests here, become packages that the server needs. Changes package.json of the working folder; the lock
// file has their versions.
//   node scripts/image-packages.mjs
import { readFileSync, writeFileSync } from 'node:fs';

/** The packages of all providers that LLM_PROVIDER names (src/agent/model-providers.ts). */
export const PROVIDER_PACKAGES = [
  '@ai-sdk/openai',
  '@ai-sdk/anthropic',
  '@ai-sdk/google',
  '@ai-sdk/azure',
  '@ai-sdk/amazon-bedrock',
  '@ai-sdk/google-vertex',
  '@ai-sdk/mistral',
  '@ai-sdk/xai',
  '@ai-sdk/groq',
];

if (import.meta.filename === process.argv[1]) {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  for (const name of PROVIDER_PACKAGES) {
    manifest.dependencies[name] = manifest.devDependencies[name];
    delete manifest.devDependencies[name];
  }
  writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
}
