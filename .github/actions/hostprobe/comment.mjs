// Creates or updates the one comment about a host on a pull request. The first line of the file identifies it.
// usage: node comment.mjs <file>, with GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN and PULL_REQUEST set.
import { existsSync, readFileSync } from 'node:fs';

const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN, PULL_REQUEST } = process.env;
const [file] = process.argv.slice(2);
const PAGE = 100;
/** The most comments to search. On longer pull requests a new comment may be created. */
const MAX_PAGES = 20;

async function ask(path, method = 'GET', body = undefined) {
  const answer = await fetch(`${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/issues/${path}`, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${GITHUB_TOKEN}`,
      'content-type': 'application/json',
    },
    body: body && JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`GitHub answered ${answer.status} to ${method} ${path}`);
  return answer.json();
}

async function earlier(mark) {
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const comments = await ask(`${PULL_REQUEST}/comments?per_page=${PAGE}&page=${page}`);
    const own = comments.find(({ body, user }) => user?.type === 'Bot' && body?.startsWith(mark));
    if (own || comments.length < PAGE) return own;
  }
  return undefined;
}

if (existsSync(file)) {
  const body = readFileSync(file, 'utf8');
  const known = await earlier(body.split('\n', 1)[0]);
  if (known) await ask(`comments/${known.id}`, 'PATCH', { body });
  else await ask(`${PULL_REQUEST}/comments`, 'POST', { body });
} else {
  process.stdout.write('hostprobe: there is nothing to say, because the host was not probed\n');
}
