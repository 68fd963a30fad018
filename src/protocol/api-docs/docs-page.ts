import { ALIAS_TAG } from './document-tags.js';

/**
 * The page of the API reference: Swagger UI, without inline scripts and without anything of other origins. It holds
 * nothing of the API. Its script reads the document with the credential that the user enters, which is kept in the
 * page's memory only (contract access, section 10, rule 5).
 */
export const DOCS_HTML = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Parley API</title>
  <link rel="icon" type="image/png" href="./docs/favicon-32x32.png">
  <link rel="stylesheet" href="./docs/swagger-ui.css">
  <link rel="stylesheet" href="./docs/page.css">
</head>
<body>
  <form id="credential" hidden>
    <h1>Parley API</h1>
    <p id="reason" role="alert"></p>
    <label for="token">API key or token</label>
    <input id="token" type="password" autocomplete="off" spellcheck="false" required>
    <button type="submit">Show the API</button>
  </form>
  <div id="swagger-ui"></div>
  <script src="./docs/swagger-ui-bundle.js"></script>
  <script src="./docs/streams.js"></script>
  <script src="./docs/page.js"></script>
</body>
</html>
`;

/** The style of the form; Swagger UI brings its own. */
export const DOCS_CSS = `body { margin: 0; }
#credential { font: 16px/1.5 sans-serif; max-width: 32rem; margin: 10vh auto; padding: 0 1rem; }
#credential label { display: block; }
#credential input { box-sizing: border-box; width: 100%; margin: .25rem 0 1rem; padding: .5rem; font: inherit; }
#credential button { padding: .5rem 1rem; font: inherit; }
`;

/** The script of the page. \`preauthorizeApiKey\` is what pressing Authorize does. */
export const DOCS_SCRIPT = `'use strict';
(() => {
  const form = document.getElementById('credential');
  const reason = document.getElementById('reason');
  const input = document.getElementById('token');

  async function load(token) {
    const headers = token === undefined ? {} : { authorization: 'Bearer ' + token };
    const answer = await fetch('./openapi.json', { headers, cache: 'no-store' });
    if (answer.ok) show(await answer.json(), token);
    else ask(await reasonOf(answer, token));
  }

  async function reasonOf(answer, token) {
    if (answer.status === 401 && token === undefined) return 'Reading the description of the API needs a credential.';
    const { message } = await answer.json().catch(() => ({}));
    return message || 'The server answered with status ' + answer.status + '.';
  }

  function ask(text) {
    reason.textContent = text;
    form.hidden = false;
    input.focus();
  }

  function show(spec, token) {
    form.hidden = true;
    input.value = '';
    // Where this page is, the API is: also behind a proxy that adds a path.
    spec.servers = [{ url: new URL('.', location.href).pathname.replace(/\\/$/, '') || '/' }];
    const ui = SwaggerUIBundle({
      spec,
      dom_id: '#swagger-ui',
      deepLinking: true,
      validatorUrl: null,
      persistAuthorization: false,
      plugins: [ParleyStreams],
      onComplete: () => {
        // The operations that only repeat others are folded.
        ui.layoutActions.show(['operations-tag', ${JSON.stringify(ALIAS_TAG)}], false);
        if (token !== undefined) ui.preauthorizeApiKey('bearer', token);
      },
    });
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    load(input.value.trim()).catch((error) => ask(String(error)));
  });
  load().catch((error) => ask(String(error)));
})();
`;
