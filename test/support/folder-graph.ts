import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path/posix';

/** What dependency-cruiser found: each file with the files it imports, paths from the root of the repository. */
interface Cruise {
  readonly modules: readonly {
    readonly source: string;
    readonly dependencies: readonly { readonly resolved: string }[];
  }[];
}

export interface Import {
  readonly from: string;
  readonly to: string;
}

/** Every import between source files of apps and libraries, types too, by the configuration of `npm run boundaries`. */
export function imports(): readonly Import[] {
  const json = execFileSync('node_modules/.bin/depcruise', ['apps', 'libs', '--output-type', 'json'], {
    encoding: 'utf8',
    maxBuffer: 256 * 1_048_576,
  });
  return (JSON.parse(json) as Cruise).modules
    .flatMap(({ source, dependencies }) => dependencies.map(({ resolved }) => ({ from: source, to: resolved })))
    .filter(({ from, to }) => [from, to].every((file) => /^(?:apps|libs)\//.test(file)));
}

/** Folders that import each other in a circle, each circle (strongly connected component) as its sorted folders. */
export function circles(files: readonly Import[]): readonly (readonly string[])[] {
  const folders = new Map<string, Set<string>>();
  for (const { from, to } of files) {
    const known = folders.get(dirname(from)) ?? new Set();
    folders.set(dirname(from), known.add(dirname(to)));
  }
  const reached = new Map([...folders.keys()].map((folder) => [folder, reachedFrom(folder, folders)]));
  const found = [...reached.keys()].map((folder) =>
    [...(reached.get(folder) ?? [])].filter((other) => other !== folder && reached.get(other)?.has(folder)),
  );
  const whole = [...reached.keys()].map((folder, i) => [folder, ...(found[i] ?? [])].sort());
  return [...new Map(whole.filter((circle) => circle.length > 1).map((circle) => [circle.join(), circle])).values()];
}

function reachedFrom(start: string, folders: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const next = [...(folders.get(folder) ?? [])].filter((other) => !reached.has(other));
    for (const other of next) reached.add(other);
    open.push(...next);
  }
  return reached;
}
