import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The entry of a judging thread as it is built, with a bug in the detector of llms.txt: it throws `planted`. */
export async function threadWithFaultyDetector(): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'hostprobe-faulty-')), 'thread.js');
  const built = (path: string) => JSON.stringify(resolve('dist', path));
  await writeFile(
    file,
    `const { DETECTORS } = require(${built('libs/detectors/src/index.js')});
DETECTORS.find(({ id }) => id === 'llms').judge = () => { throw new Error('planted'); };
require(${built('apps/worker/src/judging/judging-thread.js')});
`,
  );
  return file;
}
