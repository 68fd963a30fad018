import { type ReactNode, Suspense, useLayoutEffect, useState } from 'react';
import { useWhoami } from './access/rights.js';
import { SignIn } from './access/sign-in.js';
import { ParleyError } from './api/client.js';
import { useSignIn } from './api/credential.js';
import type { Whoami } from './api/types.js';
import { ConnectionNotice } from './frame/connection-notice.js';
import { InboxCount } from './inbox/inbox-count.js';
import { lazyPage } from './frame/lazy-page.js';
import { NotFound } from './frame/not-found.js';
import { PageBoundary } from './frame/page-boundary.js';
import { hrefOf, Link, usePlace } from './lib/router.js';
import { titled } from './lib/use-title.js';
import { TalkPage } from './talk/talk-page.js';
import { lastTalk } from './talk/use-conversation.js';
import { Logo } from './ui/logo.js';
import { ErrorNotice } from './ui/error-notice.js';
import { setTheme, theme, THEMES, type Theme } from './ui/theme.js';

/** The pages, in the order of the navigation. What is not needed first is loaded when it is opened. */
const PAGES = [
  { name: 'talk', title: 'Talk', page: TalkPage },
  {
    name: 'runs',
    title: 'Runs',
    page: lazyPage(async () => ({ default: (await import('./runs/runs-page.js')).RunsPage })),
  },
  {
    name: 'inbox',
    title: 'Inbox',
    page: lazyPage(async () => ({ default: (await import('./inbox/inbox-page.js')).InboxPage })),
  },
  {
    name: 'sessions',
    title: 'Sessions',
    page: lazyPage(async () => ({ default: (await import('./sessions/sessions-page.js')).SessionsPage })),
  },
  {
    name: 'attachments',
    title: 'Attachments',
    page: lazyPage(async () => ({ default: (await import('./attachments/attachments-page.js')).AttachmentsPage })),
  },
  {
    name: 'agents',
    title: 'Agents',
    page: lazyPage(async () => ({ default: (await import('./catalog/catalog-page.js')).CatalogPage })),
  },
  {
    name: 'tools',
    title: 'Tools',
    page: lazyPage(async () => ({ default: (await import('./catalog/tools-page.js')).ToolsPage })),
  },
  {
    name: 'models',
    title: 'Models',
    needs: 'ops:read',
    page: lazyPage(async () => ({ default: (await import('./models/models-page.js')).ModelsPage })),
  },
  {
    name: 'remote-agents',
    title: 'Remote agents',
    needs: 'ops:read',
    page: lazyPage(async () => ({ default: (await import('./catalog/remote-agents-page.js')).RemoteAgentsPage })),
  },
  {
    name: 'usage',
    title: 'Usage',
    page: lazyPage(async () => ({ default: (await import('./usage/usage-page.js')).UsagePage })),
  },
  {
    name: 'schedules',
    title: 'Schedules',
    needs: 'schedules:read',
    page: lazyPage(async () => ({ default: (await import('./hooks/schedules-page.js')).SchedulesPage })),
  },
  {
    name: 'webhooks',
    title: 'Webhooks',
    needs: 'webhooks:read',
    page: lazyPage(async () => ({ default: (await import('./hooks/webhooks-page.js')).WebhooksPage })),
  },
  {
    name: 'audit',
    title: 'Audit',
    needs: 'audit:read',
    page: lazyPage(async () => ({ default: (await import('./audit/audit-page.js')).AuditPage })),
  },
  {
    name: 'user-data',
    title: 'User data',
    needs: 'admin:data',
    page: lazyPage(async () => ({ default: (await import('./user-data/user-data-page.js')).UserDataPage })),
  },
  {
    name: 'access',
    title: 'Access',
    page: lazyPage(async () => ({ default: (await import('./access/access-page.js')).AccessPage })),
  },
] as const;

/** The console: sign in if the server asks for it, then the navigation and one page. */
export function App({ signInError }: { readonly signInError: string | undefined }): ReactNode {
  const signIn = useSignIn();
  const me = useWhoami();
  if (me.error instanceof ParleyError && me.error.status === 401)
    return <SignIn refused={signIn !== undefined} error={signInError} />;
  return <Shell me={me.data} error={me.error} />;
}

function Shell({ me, error }: { readonly me: Whoami | undefined; readonly error: Error | null }): ReactNode {
  const { path } = usePlace();
  const [name = 'talk'] = path;
  const current = PAGES.find((page) => page.name === name);
  const Page = current?.page;
  const title = current?.title ?? 'Page not found';
  const place = path.join('/');
  // Before the page that is shown names the one thing that it shows.
  useLayoutEffect(() => titled(title), [title, place]);
  return (
    <div className="shell">
      <a className="skip" href="#main" onClick={focusMain}>
        Skip to the page
      </a>
      <header className="bar">
        <Link to="#/" className="brand">
          <Logo />
          Parley
        </Link>
        <nav aria-label="Pages">
          {PAGES.filter((one) => !('needs' in one) || me?.scopes.includes(one.needs) === true).map(
            ({ name, title }) => (
              <Link
                key={name}
                to={name === 'talk' ? lastTalk() : hrefOf([name])}
                aria-current={current?.name === name ? 'page' : undefined}
              >
                {title}
                {name === 'inbox' && me && <InboxCount />}
              </Link>
            ),
          )}
        </nav>
        <div className="bar-end">
          {me && <span className="who">{me.actor.kind === 'none' ? 'No authentication' : me.userId}</span>}
          <ThemeChoice />
        </div>
      </header>
      <div className="content">
        <ConnectionNotice />
        <main id="main" tabIndex={-1}>
          <ErrorNotice error={error instanceof TypeError ? null : error} />
          <PageBoundary key={name}>
            <Suspense fallback={<p className="page muted">Loading…</p>}>
              {Page ? <Page /> : <NotFound pages={PAGES.map((page) => [hrefOf([page.name]), page.title])} />}
            </Suspense>
          </PageBoundary>
        </main>
      </div>
    </div>
  );
}

/** The fragment is the place, so the link to the page's content cannot be one. */
function focusMain(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function ThemeChoice(): ReactNode {
  const [chosen, choose] = useState<Theme>(theme);
  return (
    <label className="inline">
      <span className="visually-hidden">Colours</span>
      <select
        value={chosen}
        onChange={({ target }) => {
          const next = THEMES.find((one) => one === target.value) ?? 'system';
          setTheme(next);
          choose(next);
        }}
      >
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}
