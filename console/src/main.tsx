import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { createQueries } from './api/queries.js';
import { endSignIn } from './access/oidc/redirect.js';
import { shareRenewals } from './access/oidc/renewal.js';
import { App } from './app.js';
import { applyTheme } from './ui/theme.js';
import './styles/base.css';
import './styles/layout.css';
import './styles/talk.css';
import './styles/inbox.css';
import './styles/sessions.css';
import './styles/runs.css';
import './styles/access.css';
import './styles/usage.css';
import './styles/attachments.css';
import './styles/models.css';
import './styles/tree.css';
import './styles/tools.css';

const queries = createQueries();

/** The page, once a sign-in that brought the person here has ended. */
async function start(root: HTMLElement): Promise<void> {
  shareRenewals();
  const error = await endSignIn();
  createRoot(root).render(
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <App signInError={error} />
      </QueryClientProvider>
    </CSPProvider>,
  );
}

applyTheme();
const root = document.getElementById('root');
if (root) void start(root);
