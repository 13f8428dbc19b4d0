/** What an origin answers to a request for `/start`, and what a probe makes of it. */
export interface RedirectCase {
  readonly expected: 'block' | 'allow';
  readonly why: string;
  /** Null sends no `Location` at all. */
  readonly location: string | null;
  readonly status?: number;
  /** How the exchange ends: a failure's reason, or the redirect itself as the answer when it leaves the site. */
  readonly ends:
    'redirect_refused' | 'redirect_loop' | 'address_refused' | 'protocol_error' | 'leaves_site' | 'followed';
}

const refused = (location: string | null, why: string): RedirectCase => ({
  expected: 'block',
  why,
  location,
  ends: 'redirect_refused',
});
const followed = (location: string, why: string): RedirectCase => ({
  expected: 'allow',
  why,
  location,
  ends: 'followed',
});

/** Redirects of a host named `example.com`: 21 not to be followed to an answer, 5 to be followed. */
export const REDIRECT_CASES: readonly RedirectCase[] = [
  refused('http://127.0.0.2/', 'loopback'),
  refused('http://169.254.169.254/latest/meta-data/iam/', 'instance metadata'),
  refused('https://[::2]/', 'an IPv6 literal'),
  refused('https://[::ffff:a9fe:a9fe]/', 'mapped metadata'),
  refused('https://10.9.8.7/', 'a private literal'),
  refused('//127.0.0.2/y', 'a literal without a scheme'),
  {
    expected: 'block',
    why: 'a name that resolves inside',
    location: 'https://inside.example.com/',
    ends: 'address_refused',
  },
  refused('https://example.com:23/', 'another port'),
  refused('file:///etc/hosts', 'a file'),
  refused('gopher://127.0.0.2:6379/_GET', 'gopher'),
  refused('data:application/json,{"x402Version":1}', 'a document that is not served'),
  refused('javascript:alert(2)', 'a script'),
  refused('https://me:secret@example.com/', 'userinfo'),
  refused('http://example.com/', 'a downgrade'),
  { expected: 'block', why: 'itself', location: 'https://example.com/start', ends: 'redirect_loop' },
  refused('https://example.com/hop/1', 'one hop more than three'),
  {
    expected: 'block',
    why: 'another registrable domain, whose document is never credited',
    location: 'https://elsewhere.example.net/start',
    ends: 'leaves_site',
  },
  refused(`https://example.com/${'q'.repeat(2_100)}`, 'more than 2,000 characters'),
  { expected: 'block', why: 'a control character', location: 'https://example.com/\rX: y', ends: 'protocol_error' },
  refused(null, 'no Location'),
  refused('https://localhost/', 'a special-use name'),
  { ...followed('/profile', 'another path, with See Other'), status: 303 },
  followed('https://www.example.com/start', 'the www name of the same host'),
  followed('/start/', 'a relative path'),
  followed('https://example.com/profile', 'another path'),
  followed('https://example.com:443/y', 'the default port by number'),
];
