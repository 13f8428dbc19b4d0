import fc from 'fast-check';
import { evidence, html, json, plain, status, type Reply } from '../../../../test/support/evidence';
import { probeSite } from '../../../../test/support/site';
import { judgeHost } from '../judge-host';
import { DETECTORS } from '../registry';
import type { ProbeRequest } from './exchange';
import type { Reading } from './reading';

const PATH = '/.well-known/ucp';

const readingOf = (reply: Reply, rest: Reply = status(404), path = PATH): Reading =>
  evidence({ ...(path === '/' ? {} : { '/': html() }), [path]: reply }, rest).read(path);

const page = (title: string, text: string, heading = title): string =>
  `<!doctype html><html><head><title>${title}</title><style>h1 { color: red }</style></head>` +
  `<body><script>if (1 < 2) go("<h1>hi</h1>");</script><h1>${heading}</h1><p>${text}</p></body></html>`;

const subject = fc.constantFrom(
  'Request',
  'Access',
  'Your request has been',
  'The requested URL was',
  'Access to this page',
  'You have been',
);
const verb = fc.constantFrom('Rejected', 'denied', 'blocked', 'refused', 'Forbidden', 'restricted');
const incident = fc.constantFrom('Incident ID', 'support id is', 'Reference #', 'Event ID', 'Ray ID', 'Attack ID');
const number = fc.bigInt({ min: 10n ** 9n, max: 10n ** 19n });

describe('a page with a success status', () => {
  it('that is the block page of a firewall is not read as a document', () => {
    fc.assert(
      fc.property(subject, verb, incident, number, fc.boolean(), (who, what, name, id, inTitle) => {
        const refused = `${who} ${what}`;
        const body = page(inTitle ? refused : 'Shop', `${refused}. ${name}: ${id}`, inTitle ? refused : 'Shop');
        expect(readingOf(html(body))).toMatchObject({ kind: 'blocked', reason: 'block_page', statusCode: 200 });
      }),
    );
  });

  it.each([
    ['tries the visitor', page("Making sure you're not a bot!", ''), 'block_page'],
    ['tries the visitor in its title', page('Just a moment...', ''), 'block_page'],
    [
      'only sets a cookie by script',
      '<html><script>document.cookie="a=1";location.reload()</script></html>',
      'block_page',
    ],
    ['queues', page('Waiting Room', 'You are now in line.'), 'waiting_room'],
  ])('that %s is not read as a document', (_, body, reason) => {
    expect(readingOf(html(body))).toMatchObject({ kind: 'blocked', reason });
  });

  it.each([
    ['says that the page does not exist', page('Page not found', 'The page you requested does not exist.')],
    [
      'starts an application',
      '<!doctype html><title>Shop</title><div id="root"></div><noscript>Enable JavaScript</noscript>',
    ],
    ['tells of locks in passing', page('Shop', 'Our lamps are never blocked by curtains.')],
    ['is long', page('Access denied', 'lamps '.repeat(1_000))],
  ])('that %s is a page of the host', (_, body) => {
    expect(readingOf(html(body))).toMatchObject({ kind: 'html', catchAll: false });
  });

  it('that asks for a login is a wall only if every path gets it', () => {
    const login = html(page('Sign in', '<input type="password">'));
    expect(readingOf(login, status(404), '/')).toMatchObject({ kind: 'html' });
    expect(readingOf(login, login)).toMatchObject({ kind: 'blocked', reason: 'auth_required' });
  });

  it.each([
    [json({ error: 'Unauthorized' }), 'auth_required'],
    [json({ status: 'error', message: 'Access denied' }), 'block_page'],
    [plain('Request blocked'), 'block_page'],
  ])('of text or JSON is a wall if every path gets it: %j', (reply, reason) => {
    expect(readingOf(reply, reply)).toMatchObject({ kind: 'blocked', reason });
    expect(readingOf(reply)).not.toMatchObject({ kind: 'blocked' });
  });
});

describe('a redirect', () => {
  const moved = (location: string): Reply => ({ status: 302, headers: { location } });
  const followed = (location: string, reply: Reply): Reply => ({ ...reply, redirects: [{ status: 302, location }] });

  it.each([
    ['https://login.idp.example.net/authorize?client=7', 'redirected_to_login', 'login.idp.example.net'],
    ['https://example-org.okta.example.net/app', 'redirected_to_login', 'example-org.okta.example.net'],
    [`https://gate.example.net/?rd=https%3A%2F%2Fshop.example.com${PATH}`, 'redirected_to_login', 'gate.example.net'],
    ['https://shop.queue-it.example.net/?c=shop', 'waiting_room', 'shop.queue-it.example.net'],
    ['https://other.example.net/.well-known/ucp', 'redirected_elsewhere', 'other.example.net'],
  ])('to %s is a reason with the name of the host', (location, reason, redirectedTo) => {
    expect(readingOf(moved(location))).toMatchObject({ kind: 'blocked', reason, redirectedTo });
  });

  it('to a login of the same site is a reason, and to a document is not', () => {
    const login = 'https://shop.example.com/users/sign_in';
    expect(readingOf(followed(login, html()))).toMatchObject({
      reason: 'redirected_to_login',
      redirectedTo: 'shop.example.com',
    });
    expect(readingOf(followed('https://shop.example.com/auth/ucp.json', json({})))).toMatchObject({ kind: 'json' });
  });

  it('of only the home page does not affect other paths', () => {
    const login = 'https://shop.example.com/login';
    expect(readingOf(followed(login, html()), status(404), '/')).toMatchObject({ kind: 'html' });
    expect(readingOf(followed(login, html()), followed(login, html()), '/')).toMatchObject({
      reason: 'redirected_to_login',
    });
  });

  it('with the same target as nonexistent paths publishes nothing', () => {
    const home = followed('https://shop.example.com/', html());
    expect(readingOf(home, home)).toMatchObject({ kind: 'missing', note: 'redirects_all' });
  });

  it('of every path to the same path on another host of the site changes no result', () => {
    const www = (path: string) => followed(`https://www.example.com${path}`, html());
    expect(readingOf(www(PATH), www('/nonsense'))).toMatchObject({ kind: 'html', catchAll: true });
  });
});

describe('another status', () => {
  it.each([400, 405, 406, 409, 418, 421, 451])('%i is a reason, whether or not nonexistent paths get it', (code) => {
    for (const rest of [status(404), status(code)]) {
      expect(readingOf(status(code), rest)).toMatchObject({ kind: 'refused' });
    }
  });

  it('403 counts as missing only if it equals the 403 of nonexistent paths', () => {
    const usual = html('<h1>Forbidden</h1>', { status: 403 });
    expect(readingOf(usual, usual)).toMatchObject({ kind: 'missing', note: 'uniform_403' });
    const other = html('<h1>No robots here</h1>', { status: 403 });
    expect(readingOf(other, usual)).toMatchObject({ kind: 'blocked', reason: 'forbidden' });
  });
});

describe('a folder that is denied as a whole', () => {
  const inFolder = ({ url }: ProbeRequest) =>
    new URL(url, 'https://shop.example.com').pathname.startsWith('/.well-known/');
  const refused = fc
    .constantFrom(401, 403)
    .chain((code) =>
      fc.constantFrom(
        status(code),
        html(`<h1>${code}</h1>`, { status: code }),
        json({ message: 'no' }, { status: code }),
      ),
    );
  const unknown = fc.constantFrom(
    status(404),
    html('<h1>Not found</h1>', { status: 404 }),
    json({ error: 'not found' }, { status: 404 }),
    status(410),
    html('<!doctype html><title>App</title><div id="app"></div>'),
  );
  const inFolderOnly = ['ucp', 'ap2', 'tap', 'a2a', 'ai-plugin'];

  it('is reported, and fixes that publish in it mention that', async () => {
    await fc.assert(
      fc.asyncProperty(refused, unknown, async (denial, rest) => {
        const { cells, fixes } = judgeHost(
          DETECTORS,
          await probeSite({}, (asked) => (inFolder(asked) ? denial : rest)),
        );
        const found = cells.filter(({ id }) => inFolderOnly.includes(id));
        const expected =
          denial.status === 403
            ? { status: 'absent', details: { note: 'well_known_forbidden' } }
            : { status: 'error', details: { reason: 'auth_required', statusCode: 401 } };
        for (const cell of found) expect(cell).toMatchObject(expected);
        expect(JSON.stringify(cells)).not.toContain('uniform_403');
        for (const { fix } of fixes.filter((one) => one.fix.includes('/.well-known/'))) {
          expect(fix).toContain('answers 403 to every path under /.well-known/. Allow that folder first.');
        }
      }),
      { numRuns: 30 },
    );
  });

  it('does not decide about other paths: those are forbidden, even when both return the same 403', async () => {
    await fc.assert(
      fc.asyncProperty(refused, unknown, async (denial, rest) => {
        fc.pre(denial.status === 403);
        const seen = await probeSite({ '/llms.txt': denial }, (asked) => (inFolder(asked) ? denial : rest));
        const elsewhere = await probeSite({}, (asked) => (inFolder(asked) ? rest : denial));
        for (const site of [seen, elsewhere]) {
          expect(site.read('/llms.txt')).toMatchObject({ kind: 'blocked', reason: 'forbidden' });
        }
      }),
      { numRuns: 15 },
    );
  });
});
